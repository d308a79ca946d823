import Cofferdam

/// A clock that stops while the machine stalls, so that a stall does not make a call slow.
///
/// The time between two readings counts as at most a few of its beats. A stalled machine does not read the clock
/// either, so a stall of seconds counts as one late beat, while a slow call lasts for many beats.
struct SteadyClock<Base: Clock>: Clock where Base.Duration == Swift.Duration {
    typealias Instant = ClockInstant

    private let base: Base
    private let seen: Seen

    init(_ base: Base) {
        self.base = base
        seen = Seen(base.now)
    }

    var now: Instant { Instant(offset: seen.look(at: base.now, atMost: Self.longestBeat)) }
    var minimumResolution: Duration { Self.beat }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        var left = now.duration(to: deadline)
        while left > .zero {
            try await base.sleep(for: left, tolerance: tolerance)
            left = now.duration(to: deadline)
        }
        try Task.checkCancellation()
    }

    /// Runs the body while this clock beats.
    func beating<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        async let _ = beat()
        return try await body()
    }

    private func beat() async throws {
        while true {
            try await base.sleep(for: Self.beat)
            _ = now
        }
    }

    private static var beat: Duration { .milliseconds(10) }
    private static var longestBeat: Duration { .milliseconds(30) }

    private final class Seen: Sendable {
        private let state: Mutex<(offset: Duration, last: Base.Instant)>

        init(_ start: Base.Instant) { state = Mutex((.zero, start)) }

        func look(at now: Base.Instant, atMost longest: Duration) -> Duration {
            state.withLock { state in
                let passed = state.last.duration(to: now)
                // Another task may have read a later time first.
                guard passed > .zero else { return state.offset }
                state.offset += min(passed, longest)
                state.last = now
                return state.offset
            }
        }
    }
}
