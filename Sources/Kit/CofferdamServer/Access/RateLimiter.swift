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

        private let limit: RequestRate
        private let capacity: Int
        private let key: @Sendable (String) -> String
        private let state = Mutex(State())

        /// - Parameter capacity: the minimum number of keys to remember; at most twice as many are kept. A forgotten
        ///   key starts with a full bucket.
        /// - Parameter key: returns the key that names share a bucket under.
        init(_ limit: RequestRate, capacity: Int = 10_000, key: @escaping @Sendable (String) -> String = { $0 }) {
            (self.limit, self.capacity, self.key) = (limit, max(1, capacity), key)
        }

        /// Takes a token.
        ///
        /// - Returns: nil if there was one, or how many seconds to wait.
        func wait(for name: String, at now: Duration) -> Int? {
            guard limit.perSecond > 0 else { return nil }
            let key = key(name)
            return state.withLock { state in
                let burst = Double(max(1, limit.burst))
                var bucket = state.current[key] ?? state.previous[key] ?? Bucket(tokens: burst, at: now)
                let seconds = max(0, (now - bucket.at) / .seconds(1))
                bucket.tokens = min(burst, bucket.tokens + seconds * Double(limit.perSecond))
                bucket.at = now
                let isAllowed = bucket.tokens >= 1
                if isAllowed { bucket.tokens -= 1 }
                state.current[key] = bucket
                if state.current.count >= capacity { (state.previous, state.current) = (state.current, [:]) }
                let missing = (1 - bucket.tokens) / Double(limit.perSecond)
                return isAllowed ? nil : max(1, Int(missing.rounded(.up)))
            }
        }
    }
#endif
