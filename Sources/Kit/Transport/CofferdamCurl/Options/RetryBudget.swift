#if Curl
import Cofferdam

/// Limits the retries of a client, or of several that share it, to a fraction of their requests, so that retries do not
/// multiply the load of an outage.
///
/// A token bucket: each first attempt adds part of a token, each retry takes one. Modelled on Finagle's `RetryBudget`
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

    /// Creates a budget. Values out of range are clamped.
    ///
    /// - Parameters:
    ///   - share: how many retries each request earns: 0.2 allows 20 % additional load.
    ///   - minimumPerSecond: how many retries per second are always allowed, for clients with few requests.
    ///   - reserve: the initial and maximum number of tokens, which bounds a burst of retries.
    public init(share: Double = 0.2, minimumPerSecond: Double = 1, reserve: Double = 10) {
        self.share = share > 0 ? min(share, 1) : 0
        self.minimumPerSecond = minimumPerSecond > 0 ? min(minimumPerSecond, 1e6) : 0
        capacity = reserve > 1 ? min(reserve, 1e6) : 1
        state = Mutex(State(tokens: capacity))
    }

    /// Records the start of a request.
    package func deposit() {
        state.withLock { $0.tokens = min(capacity, $0.tokens + share) }
    }

    /// Takes a token for a retry, if there is one.
    package func withdraw(at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            fill(&state, now)
            // Tolerates rounding: five times a fifth may be slightly less than one.
            guard state.tokens > 1 - 1e-9 else { return false }
            state.tokens = max(0, state.tokens - 1)
            return true
        }
    }

    private func fill(_ state: inout State, _ now: ContinuousClock.Instant) {
        // The calls of two threads may arrive in the opposite order of their times.
        guard let filled = state.filled, filled < now else {
            state.filled = state.filled ?? now
            return
        }
        state.filled = now
        let seconds = (now - filled) / .seconds(1)
        state.tokens = min(capacity, state.tokens + seconds * minimumPerSecond)
    }
}
#endif
