/// The number of units that a rule needs before it can decide, for planning before anything has been counted.
package enum SampleSizes {
    /// Returns the number of units without a failure that show, in a single look, that the rate is below `rate` at
    /// level `alpha`: ⌈ln α / ln(1−p)⌉.
    package static func withoutFailure(rate: Double, alpha: Double) -> Int? {
        guard (0..<1).contains(rate), rate > 0, alpha > 0, alpha < 1 else { return nil }
        return Int(exactly: (ln(alpha) / ln1p(-rate)).rounded(.up))
    }

    /// Returns the smallest n at which the mixture test promotes with `failures` failures; nil if that is above `maximum`.
    ///
    /// While k/n is below the limit, the evidence only grows with n, so bisection finds the smallest n.
    package static func toPromote(failures: Int, limit: Double, alpha: Double, upTo maximum: Int = 10_000_000) -> Int? {
        toReach(.mixture(limit: limit), failures: failures, alpha: alpha, upTo: maximum)
    }

    /// Returns the smallest n at which `failures` failures satisfy a rule that requires a low rate; nil if that is
    /// above `maximum`.
    package static func toReach(_ rule: SequentialRule, failures: Int, alpha: Double, upTo maximum: Int) -> Int? {
        guard rule.isPossible, alpha > 0, alpha < 1, failures >= 0, maximum > failures else { return nil }
        func isEnough(_ total: Int) -> Bool { rule.isReached(FailureCounts(failures, of: total), alpha: alpha) }
        return firstTrue(in: max(failures, 1)...maximum, isEnough)
    }

    /// Returns the smallest number in `range` for which `condition` holds; it must then hold for all larger ones. Nil
    /// if it holds for none.
    private static func firstTrue(in range: ClosedRange<Int>, _ condition: (Int) -> Bool) -> Int? {
        guard condition(range.upperBound) else { return nil }
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
