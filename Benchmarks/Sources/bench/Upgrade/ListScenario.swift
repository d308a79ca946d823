import Cofferdam
import CofferdamUpgrade
import SanctuaryDomain
import SanctuaryOperations
import Synchronization

/// The example's most used call, a page of its catalogue, through its own table and forwarding conformance.
enum ListScenario: String, CaseIterable {
    /// The base: the same port with nothing in between.
    case direct = "list.direct"
    /// Intercepted without an interceptor or a route.
    case intercepted = "list.intercepted"
    case legacyOnly = "list.legacyOnly"
    /// The second page of a walk.
    case walk = "list.walk"
    /// For a unit that may change: see `Router.route(following:)`.
    case following = "list.following"
    /// On the candidate, with marked cursors.
    case candidateOnly = "list.candidateOnly"

    private var isRouted: Bool { self != .direct && self != .intercepted }

    /// Requests pages, one after the other.
    func run(calls: Int) async throws {
        let (port, request) = (try port(), request)
        // Opens the answering side, and makes the calls that are watched.
        for _ in 0..<100 { _ = try await port.animals(request) }
        try await Self.ask(port, request, calls)
    }

    @inline(never)
    static func ask(_ port: any Catalogue, _ request: AnimalsRequest, _ calls: Int) async throws {
        var sum = 0
        for _ in 0..<calls { sum &+= try await port.animals(request).items.count }
        guard sum != 1 else { throw RouteFailure() }
    }

    func port() throws -> any Catalogue {
        let stub: any Catalogue = StubCatalogue()
        guard isRouted else { return self == .direct ? stub : Intercepted(stub) }
        let stage: Stage = self == .candidateOnly ? .candidateOnly : .legacyOnly
        let session = UnitSession(
            unit: "unit",
            control: StageControl(StageState(stage: stage)),
            bucketing: try Bucketing(salt: "lists")
        )
        let router = Router<any Catalogue>(legacy: { stub }, candidate: { stub })
        let settings = RouteSettings(capability: "catalogue", failures: ErrorClassifier { _ in .failed })
        guard self == .following else {
            return Intercepted(source: router.route(for: session, settings: settings) { $0 })
        }
        let box = SessionBox(session)
        return Intercepted(source: router.route(following: { box.session }, settings: settings) { $0 })
    }

    var request: AnimalsRequest {
        AnimalsRequest(PageRequest(cursor: self == .walk ? StubCatalogue.next : nil, limit: 10))
    }

    static func measure() async throws -> [Measurement] {
        let calls = 20_000
        let clock = ContinuousClock()
        var rows: [Measurement] = []
        for scenario in allCases where scenario != .direct {
            let (ours, theirs, request) = (try scenario.port(), try direct.port(), scenario.request)
            var best = (ours: Double.infinity, theirs: Double.infinity)
            let rounds = 40
            for round in 0...rounds {
                let first = try await clock.measure { try await ask(ours, request, calls) }.seconds
                let second = try await clock.measure { try await ask(theirs, request, calls) }.seconds
                if round > 0 { best = (min(best.ours, first), min(best.theirs, second)) }
            }
            rows.append(
                Measurement(
                    name: scenario.rawValue,
                    value: (best.ours - best.theirs) / Double(calls) * 1e9,
                    unit: "ns a call",
                    base: "direct call",
                    ratio: best.ours / best.theirs,
                    samples: rounds
                )
            )
        }
        return rows
    }
}

/// A session that may change, at the cost of a lock.
private final class SessionBox: Sendable {
    private let current: Mutex<UnitSession>

    init(_ session: UnitSession) { current = Mutex(session) }

    var session: UnitSession { current.withLock { $0 } }
}

/// Answers with a fixed page.
private struct StubCatalogue: Catalogue {
    static let next = Cursor("50")
    private let page = Page<Animal>(
        items: (0..<10).map { number in
            Animal(
                id: AnimalID("\(number)"),
                name: "hydra",
                displayName: "Hydra",
                group: .reptile,
                legs: .known(0),
                heads: .known(9)
            )
        },
        next: StubCatalogue.next
    )

    @inline(never)
    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> { page }

    func animal(_ id: AnimalID) async throws -> Animal { page.items[0] }
}
