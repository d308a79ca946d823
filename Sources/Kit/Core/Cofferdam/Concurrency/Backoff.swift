/// How long to wait before the next attempt: longer after each failure, and never the same for all clients.
///
/// Exponential with jitter; a `jitter` of 1 is the "full jitter" of the AWS Architecture Blog, "Exponential Backoff And
/// Jitter" (2015). No value makes it trap: a meaningless one counts as the nearest that has a meaning.
public struct Backoff: Sendable, Hashable {
    /// The longest wait after the first failure.
    package var initial: Duration
    /// The factor by which the longest wait grows with each further failure; below 1 counts as 1.
    var factor: Double
    /// No wait is longer.
    package var maximum: Duration
    /// The random share of the wait: 0 for none, 1 for all of it.
    package var jitter: Double

    /// Creates a backoff.
    public init(
        initial: Duration = .seconds(1),
        factor: Double = 2,
        maximum: Duration = .seconds(30),
        jitter: Double = 1
    ) {
        self.initial = initial
        self.factor = factor
        self.maximum = maximum
        self.jitter = jitter
    }

    /// The wait before the next attempt.
    ///
    /// - Parameters:
    ///   - attempt: how many attempts have failed in a row: 1 for the first wait.
    ///   - random: a number from 0 to 1, new for each wait.
    public func wait(attempt: Int, random: Double) -> Duration {
        let longest = longestWait(attempt: attempt)
        let chance = Self.share(jitter)
        let share = 1 - chance + chance * Self.share(random)
        return .seconds(longest * share)
    }

    /// In seconds; finite.
    private func longestWait(attempt: Int) -> Double {
        let first = initial.seconds
        guard first > 0 else { return 0 }
        let growth = Self.power(factor > 1 ? factor : 1, max(attempt, 1) - 1)
        return max(0, min(first * growth, maximum.seconds, Self.longestDuration))
    }

    /// A Duration cannot hold 2^127 attoseconds; 30 billion years are long enough.
    private static let longestDuration = 1e18

    private static func share(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }

    /// By squaring, so that a huge exponent costs no more than 64 rounds; infinite when it is too large.
    private static func power(_ base: Double, _ exponent: Int) -> Double {
        var result = 1.0
        var square = base
        var rest = exponent
        while rest > 0 {
            if !rest.isMultiple(of: 2) { result *= square }
            square *= square
            rest /= 2
        }
        return result
    }
}

extension Duration {
    fileprivate var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
