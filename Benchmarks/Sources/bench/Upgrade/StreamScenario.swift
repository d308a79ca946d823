import Cofferdam
import CofferdamUpgrade

/// A stream of numbers, through a route or directly: measures the subscriber's cost per element.
enum StreamScenario: String, CaseIterable {
    /// The base: the same port with nothing in between.
    case direct = "stream.direct"
    /// Intercepted without an interceptor or a route.
    case intercepted = "stream.intercepted"
    /// Through a route, which can hand the stream over to the other side.
    case legacyOnly = "stream.legacyOnly"

    func port() throws -> any NumbersPort {
        switch self {
        case .direct: return Numbers()
        case .intercepted: return Intercepted<any NumbersPort>(Numbers())
        case .legacyOnly:
            let session = UnitSession(
                unit: "unit",
                control: StageControl(StageState(stage: .legacyOnly)),
                bucketing: try Bucketing(salt: "numbers")
            )
            let router = Router<any NumbersPort>(legacy: { Numbers() }, candidate: { Numbers() })
            let settings = RouteSettings(capability: "numbers", failures: ErrorClassifier { _ in .failed })
            return Intercepted(source: router.route(for: session, settings: settings) { $0 })
        }
    }

    /// Reads that many elements of one stream.
    func run(elements: Int) async throws { try await Self.listen(try port(), elements) }

    @inline(never)
    static func listen(_ port: any NumbersPort, _ elements: Int) async throws {
        var (sum, heard) = (0, 0)
        for try await number in port.numbers() {
            sum &+= number
            heard += 1
            if heard == elements { break }
        }
        guard heard == elements, sum != 1 else { throw RouteFailure() }
    }

    static func measure() async throws -> [Measurement] {
        let (elements, rounds) = (20_000, 40)
        let clock = ContinuousClock()
        var rows: [Measurement] = []
        for scenario in allCases where scenario != .direct {
            let (ours, theirs) = (try scenario.port(), try direct.port())
            var best = (ours: Double.infinity, theirs: Double.infinity)
            for round in 0...rounds {
                let first = try await clock.measure { try await listen(ours, elements) }.seconds
                let second = try await clock.measure { try await listen(theirs, elements) }.seconds
                if round > 0 { best = (min(best.ours, first), min(best.theirs, second)) }
            }
            rows.append(
                Measurement(
                    name: scenario.rawValue,
                    value: (best.ours - best.theirs) / Double(elements) * 1e9,
                    unit: "ns an element",
                    base: "direct stream",
                    ratio: best.ours / best.theirs,
                    samples: rounds
                )
            )
        }
        return rows
    }
}

protocol NumbersPort: Sendable {
    func numbers() -> PortEvents<Int>
}

/// Counts for as long as it is pulled.
private struct Numbers: NumbersPort {
    func numbers() -> PortEvents<Int> { Counting() }

    struct Counting: AsyncSequence, Sendable {
        typealias Failure = any Error

        func makeAsyncIterator() -> Iterator { Iterator() }

        struct Iterator: AsyncIteratorProtocol {
            private var next = 0

            @inline(never)
            mutating func next() async throws -> Int? {
                next &+= 1
                return next
            }
        }
    }
}

private enum NumbersOperations {
    static let numbers = StreamingOperation<any NumbersPort, Void, Int>("numbers") { $0.numbers() }
        .handedOver(
            by: .items(gap: { _ in .nothing }, item: { StreamItem("\($0)") })
        )
}

extension Intercepted: NumbersPort where Port == any NumbersPort {
    func numbers() -> PortEvents<Int> { stream(NumbersOperations.numbers) }
}
