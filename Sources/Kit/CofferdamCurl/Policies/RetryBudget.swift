import Cofferdam

/// Keeps the retries of a client, or of several that share it, to a share of its requests, so that an outage is not
/// multiplied by those who wait for its end.
///
/// A bucket of tokens: each first attempt puts a part of one in, each retry takes one out. After Finagle's `RetryBudget`
/// and the chapter "Handling Overload" of Google's Site Reliability Engineering.
public final class RetryBudget: Sendable {
    private let share: Double
    private let minimumPerSecond: Double
    private let capacity: Double
    private let state: Mutex<State>

    private struct State {
        var tokens: Double
        var filled: ContinuousClock.Instant?
    }

    /// Values without meaning count as the nearest that has.
    ///
    /// - Parameters:
    ///   - share: how many retries each request pays for: 0.2 allows a fifth more load.
    ///   - minimumPerSecond: how many retries are allowed without any requests, for clients with few of them.
    ///   - reserve: what the budget begins with, and the most that can be saved up for a burst of retries.
    public init(share: Double = 0.2, minimumPerSecond: Double = 1, reserve: Double = 10) {
        self.share = share > 0 ? min(share, 1) : 0
        self.minimumPerSecond = minimumPerSecond > 0 ? min(minimumPerSecond, 1e6) : 0
        capacity = reserve > 1 ? min(reserve, 1e6) : 1
        state = Mutex(State(tokens: capacity))
    }

    /// A request was begun.
    package func deposit() {
        state.withLock { $0.tokens = min(capacity, $0.tokens + share) }
    }

    /// Whether one more retry may be made, which then counts.
    package func withdraw(at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            fill(&state, now)
            // Five times a fifth may be a little less than one.
            guard state.tokens > 1 - 1e-9 else { return false }
            state.tokens = max(0, state.tokens - 1)
            return true
        }
    }

    private func fill(_ state: inout State, _ now: ContinuousClock.Instant) {
        // Of two threads the later one may bring the earlier time.
        guard let filled = state.filled, filled < now else {
            state.filled = state.filled ?? now
            return
        }
        state.filled = now
        let seconds = (now - filled) / .seconds(1)
        state.tokens = min(capacity, state.tokens + seconds * minimumPerSecond)
    }
}
