import Cofferdam
import CofferdamTesting
import TestSupport

@testable import CofferdamUpgrade

/// Two sides with a stream each, a route between them, and a subscriber.
struct StreamStand: Sendable {
    let clock = TestClock()
    let control: StageControl
    let session: UnitSession
    let legacy = PlayedSide()
    let candidate = PlayedSide()
    let calls = Log<RoutedCall>()
    /// The content of the list, on either side.
    let list = Shared<[Int]>([])
    private let route: Route<PlayedSide>
    private let handover: StreamHandover<SimulatedElement>

    private struct Observer: RouteObserver {
        let calls: Log<RoutedCall>
        func called(_ call: RoutedCall) { calls.add(call) }
        func compared(_ comparison: ShadowComparison) {}
    }

    /// - Parameters:
    ///   - opening: runs before the legacy side opens.
    ///   - isSameUser: whether the same user is signed in on both sides; nil if nothing says so.
    ///   - executor: runs the streams' tasks.
    init(
        _ stage: Stage,
        acknowledges: Bool = false,
        candidateOpens: Bool = true,
        opening: TestGate? = nil,
        isSameUser: Bool? = nil,
        executor: (any TaskExecutor)? = nil
    ) async throws {
        control = StageControl(StageState(stage: stage))
        session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "zoo"))
        let router = Router<PlayedSide>(
            legacy: { [legacy] in
                await opening?.pass()
                return legacy
            },
            candidate: { [candidate] in
                if !candidateOpens { throw ZooError(meaning: .failed, kind: "closed") }
                return candidate
            }
        )
        var settings = RouteSettings(
            capability: "zoo",
            failures: ZooError.reading,
            isSameUser: isSameUser.map { isSameUser in { @Sendable () async in isSameUser } },
            observer: Observer(calls: calls),
            clock: clock
        )
        settings.executor = executor
        route = router.route(for: session, settings: settings) { $0 }
        let isAcknowledgement: @Sendable (SimulatedElement) -> Bool = { $0 == .acknowledged }
        let beginning = StreamHandover<SimulatedElement>.Beginning(acknowledges: acknowledges ? isAcknowledgement : nil)
        handover = .simulated(legacy: beginning, candidate: beginning)
        if candidateOpens { try await router.open(for: session) }
    }

    func events(handover: StreamHandover<SimulatedElement>? = nil) -> PortEvents<SimulatedElement> {
        let operation = StreamingOperation<PlayedSide, Void, SimulatedElement>("events") { $0.events() }
            .handedOver(by: handover ?? self.handover) { [list] _, last in
                list.withLock { $0 }.filter { $0 > last.number ?? -1 }.map {
                    .event(SimulatedEvent(number: $0), isEcho: false)
                }
            }
        return route.stream(operation.ofUser(), ())
    }

    func subscribers(_ side: Side) -> Int { (side == .legacy ? legacy : candidate).subscribers }
}

/// A value shared by tests and closures.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
}

/// A side that a test controls.
final class PlayedSide: Sendable {
    private let buffers = Shared<[Int: EventBuffer<SimulatedElement>]>([:])
    private let read = Shared(0)
    private let endsFetched = Shared(0)

    var subscribers: Int { buffers.withLock { $0.count } }
    /// Whether a subscriber waits for an element.
    var isAwaited: Bool { buffers.withLock { $0.values.contains(where: \.isAwaited) } }
    /// How many elements wait in the side's own buffers.
    var unread: Int { read.withLock { $0 } }
    /// How often an element was requested after the end.
    var ends: Int { endsFetched.withLock { $0 } }

    func events() -> PortEvents<SimulatedElement> {
        let buffer = EventBuffer<SimulatedElement>()
        let key = buffers.withLock { buffers in
            let key = (buffers.keys.max() ?? 0) + 1
            buffers[key] = buffer
            return key
        }
        buffer.onTermination { [weak self] in _ = self?.buffers.withLock { $0.removeValue(forKey: key) } }
        return PlayedEvents(events: buffer.events, ends: endsFetched)
    }

    func emit(_ numbers: Int...) {
        for number in numbers { emit(.event(SimulatedEvent(number: number), isEcho: false)) }
    }

    func emit(_ element: SimulatedElement) {
        for buffer in buffers.withLock({ Array($0.values) }) {
            if !buffer.isAwaited { read.withLock { $0 += 1 } }
            buffer.send(element, overflow: { TestError("too far behind") })
        }
    }

    func fail(_ error: any Error) {
        for buffer in buffers.withLock({ Array($0.values) }) { buffer.finish(throwing: error) }
    }

    func finish() {
        for buffer in buffers.withLock({ Array($0.values) }) { buffer.finish() }
    }
}

/// The stream of a side, which counts how often its end is fetched.
private struct PlayedEvents: AsyncSequence, Sendable {
    typealias Failure = any Error
    let events: EventStream<SimulatedElement>
    let ends: Shared<Int>

    func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), ends: ends) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: EventStream<SimulatedElement>.Iterator
        fileprivate let ends: Shared<Int>

        mutating func next() async throws -> SimulatedElement? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> SimulatedElement? {
            let element = try await events.next(isolation: actor)
            if element == nil { ends.withLock { $0 += 1 } }
            return element
        }
    }
}

/// What a subscriber has received so far.
final class ReceivedElements: Sendable {
    private let state = Shared<(elements: [SimulatedElement], end: Result<Void, any Error>?)>(([], nil))
    let task: Task<Void, Never>

    var elements: [SimulatedElement] { state.withLock { $0.elements } }
    var numbers: [Int] { elements.compactMap(\.number) }
    var end: Result<Void, any Error>? { state.withLock { $0.end } }

    init(_ events: PortEvents<SimulatedElement>) {
        task = Task { [state] in
            var iterator = events.makeAsyncIterator()
            do {
                while let element = try await iterator.next(isolation: nil) {
                    state.withLock { $0.elements.append(element) }
                }
                state.withLock { $0.end = .success(()) }
            } catch {
                state.withLock { $0.end = .failure(error) }
            }
        }
    }
}
