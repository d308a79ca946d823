import Cofferdam

/// A clock that runs like the system's and can be advanced at once.
///
/// Tests measure an adapter's deadlines on it, so that they need not wait for them.
public final class AdjustableClock: Clock {
    /// The standard library's duration.
    public typealias Duration = Swift.Duration

    /// A moment of the clock, measured from its start.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        package var offset: Swift.Duration

        /// Returns the moment this long after this one.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the time from this moment to another.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        /// Whether `a` is before `b`.
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private typealias Wake = @Sendable (Result<Void, any Error>) -> Void

    private struct Sleeper: Sendable {
        let deadline: Instant
        /// How long the task asked to sleep.
        let duration: Duration
        let wake: Wake
        var timer: Task<Void, any Error>?
    }

    private struct State: Sendable {
        var advance = Duration.zero
        var count = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [Int: (isMet: @Sendable (Sleeper) -> Bool, wake: Wake)] = [:]
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now
    private let executor: (any TaskExecutor)?
    /// One nanosecond.
    public let minimumResolution = Duration.nanoseconds(1)

    /// Creates a clock.
    ///
    /// - Parameter executor: runs the tasks that wait for the system's clock.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    /// The real time since the clock was created, plus all that it was advanced by.
    public var now: Instant { Instant(offset: state.withLock { $0.advance } + start.duration(to: .now)) }

    /// Advances the clock, and wakes the tasks that are due.
    public func advance(by duration: Duration) {
        state.withLock { $0.advance += duration }
        wakeDueSleepers()
    }

    /// Sleeps until the clock reaches `deadline`, in real time or by being advanced.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            let remaining = now.duration(to: deadline)
            let id = state.withLock { state in
                state.count += 1
                state.sleepers[state.count] = Sleeper(deadline: deadline, duration: remaining, wake: wake)
                return state.count
            }
            let timer = Task(executorPreference: executor) {
                try await ContinuousClock().sleep(for: max(.zero, remaining))
                self.wakeDueSleepers()
            }
            let isAsleep = state.withLock { state in
                state.sleepers[id]?.timer = timer
                return state.sleepers[id] != nil
            }
            if !isAsleep { timer.cancel() }
            wakeDueSleepers()
            return VendorCancellation {
                self.state.withLock { $0.sleepers.removeValue(forKey: id) }?.timer?.cancel()
            }
        }
    }

    /// Returns once a task sleeps for this long from now, or longer.
    public func waitForSleeper(of duration: Duration) async throws {
        let deadline = now.advanced(by: duration)
        try await waitForSleeper { $0.deadline >= deadline }
    }

    /// Returns once a task sleeps that asked to sleep for a duration in this range.
    ///
    /// The duration may be shorter by a tenth of the range's lower bound, or by ten milliseconds if that is more, because
    /// time passes between the task's reading of the clock and its sleep.
    public func waitForSleeper(for durations: ClosedRange<Duration>) async throws {
        let shortest = durations.lowerBound - max(.milliseconds(10), durations.lowerBound / 10)
        try await waitForSleeper { (shortest...durations.upperBound).contains($0.duration) }
    }

    private func waitForSleeper(_ isMet: @escaping @Sendable (Sleeper) -> Bool) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            let id = state.withLock { state in
                state.count += 1
                state.watchers[state.count] = (isMet, wake)
                return state.count
            }
            wakeDueSleepers()
            return VendorCancellation { self.state.withLock { $0.watchers[id] = nil } }
        }
    }

    private func wakeDueSleepers() {
        let now = self.now
        let (due, seen) = state.withLock { state in
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            let sleepers = state.sleepers.values
            let seen = state.watchers.filter { watcher in sleepers.contains(where: watcher.value.isMet) }
            for id in seen.keys { state.watchers[id] = nil }
            return (Array(due.values), seen.values.map(\.wake))
        }
        for sleeper in due {
            sleeper.timer?.cancel()
            sleeper.wake(.success(()))
        }
        for wake in seen { wake(.success(())) }
    }
}
