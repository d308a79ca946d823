#if Server
import Cofferdam

/// A token bucket for each key, which limits how often the key may send requests. Its memory is bounded.
final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: Duration
    }

    private struct State {
        var current: [String: Bucket] = [:]
        var previous: [String: Bucket] = [:]
    }

    /// The tokens that a bucket gains in a second; 0 for no limit.
    private let rate: Double
    private let burst: Double
    private let capacity: Int
    private let key: @Sendable (String) -> String
    private let state = Mutex(State())

    /// - Parameter capacity: the minimum number of keys to remember; at most twice as many are kept. A forgotten
    ///   key starts with a full bucket.
    /// - Parameter key: returns the key that names share a bucket under.
    convenience init(
        _ limit: RequestRate,
        capacity: Int = 10_000,
        key: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.init(rate: Double(limit.perSecond), burst: limit.burst, capacity, key)
    }

    /// - Parameter perHour: what a key may do at once after a pause, and in each hour.
    convenience init(perHour: Int, key: @escaping @Sendable (String) -> String = { $0 }) {
        self.init(rate: Double(perHour) / 3_600, burst: perHour, 10_000, key)
    }

    private init(rate: Double, burst: Int, _ capacity: Int, _ key: @escaping @Sendable (String) -> String) {
        (self.rate, self.burst) = (rate, Double(max(1, burst)))
        (self.capacity, self.key) = (max(1, capacity), key)
    }

    /// Takes a token.
    ///
    /// - Returns: nil if there was one, or how many seconds to wait.
    func wait(for name: String, at now: Duration) -> Int? {
        guard rate > 0 else { return nil }
        let key = key(name)
        return state.withLock { state in
            var bucket = state.current[key] ?? state.previous[key] ?? Bucket(tokens: burst, at: now)
            let seconds = max(0, (now - bucket.at) / .seconds(1))
            bucket.tokens = min(burst, bucket.tokens + seconds * rate)
            bucket.at = now
            let isAllowed = bucket.tokens >= 1
            if isAllowed { bucket.tokens -= 1 }
            state.current[key] = bucket
            if state.current.count >= capacity { (state.previous, state.current) = (state.current, [:]) }
            let missing = (1 - bucket.tokens) / rate
            return isAllowed ? nil : max(1, Int(missing.rounded(.up)))
        }
    }
}
#endif
