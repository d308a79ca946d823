import Cofferdam

/// A clock that stands still until a test advances it, and knows which tasks sleep.
///
/// ```swift
/// let clock = TestClock()
/// async let answer = service.answer(timeout: .seconds(5), clock: clock)
/// await clock.waitForSleepers()
/// clock.advance(by: .seconds(5))
/// ```
public final class TestClock: Clock, Sendable {
    /// A point in time of a test clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public var offset: Duration

        /// Creates the instant at that offset from the clock's creation.
        init(offset: Duration) { self.offset = offset }

        /// Returns the instant that much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the time from this instant to another; negative if the other is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Returns whether the first instant is earlier.
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private typealias Watcher = CheckedContinuation<Void, Never>

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var count = 0
        var watchers: [(isAwaited: @Sendable ([Duration]) -> Bool, continuation: Watcher)] = []

        /// Removes and returns the watchers whose condition holds.
        mutating func satisfied() -> [Watcher] {
            let deadlines = sleepers.values.map(\.until.offset)
            let satisfied = watchers.filter { $0.isAwaited(deadlines) }
            watchers.removeAll { $0.isAwaited(deadlines) }
            return satisfied.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    /// A clock at offset zero.
    public init() {}

    /// The clock's time, which only the test moves.
    public var now: Instant { state.withLock { $0.now } }
    /// Zero: sleepers wake at exactly their deadline.
    public var minimumResolution: Duration { .zero }
    /// How many tasks sleep.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }
    /// The deadlines of the sleeping tasks, as offsets from the clock's creation, in no particular order.
    public var deadlines: [Duration] { state.withLock { $0.sleepers.values.map(\.until.offset) } }

    /// Sleeps until the test moves the clock to the deadline.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (outcome, satisfied) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
                    if Task.isCancelled { return (.failure(CancellationError()), []) }
                    if state.now >= deadline { return (.success(()), []) }
                    state.sleepers[id] = (deadline, continuation)
                    return (nil, state.satisfied())
                }
                if let outcome { continuation.resume(with: outcome) }
                for watcher in satisfied { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Suspends until at least that many tasks sleep.
    public func waitForSleepers(_ count: Int = 1) async { await wait { $0.count >= count } }

    /// Suspends until a task sleeps with that deadline, as an offset from the clock's creation.
    public func waitForSleeper(until offset: Duration) async { await wait { $0.contains(offset) } }

    private func wait(until isAwaited: @escaping @Sendable ([Duration]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let satisfied = state.withLock { state in
                state.watchers.append((isAwaited, continuation))
                return state.satisfied()
            }
            for watcher in satisfied { watcher.resume() }
        }
    }

    /// Moves the clock forward and wakes the tasks whose deadlines have passed.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }
}
