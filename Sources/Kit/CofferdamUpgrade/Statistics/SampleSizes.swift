/// How much must be counted before a rule can speak: for a plan, before anybody has counted anything.
package enum SampleSizes {
    /// Units without one failure that show the rate to be below `rate` at `alpha`, looked at once: ⌈ln α / ln(1−p)⌉.
    package static func withoutFailure(rate: Double, alpha: Double) -> Int? {
        guard (0..<1).contains(rate), rate > 0, alpha > 0, alpha < 1 else { return nil }
        return Int(exactly: (ln(alpha) / ln1p(-rate)).rounded(.up))
    }

    /// The smallest n at which the mixture test promotes with `failures` failures; nil if that is beyond `most`.
    ///
    /// With k/n below the limit the evidence only grows with n, so that the first n is found by halving.
    package static func toPromote(failures: Int, limit: Double, alpha: Double, most: Int = 10_000_000) -> Int? {
        toReach(.mixture(limit: limit), failures: failures, alpha: alpha, most: most)
    }

    /// The smallest n at which a rule that asks for few failures is reached with so many.
    static func toReach(_ rule: SequentialRule, failures: Int, alpha: Double, most: Int) -> Int? {
        guard rule.isPossible, alpha > 0, alpha < 1, failures >= 0, most > failures else { return nil }
        func isEnough(_ total: Int) -> Bool { rule.isReached(FailureCounts(failures, of: total), alpha: alpha) }
        return firstTrue(in: max(failures, 1)...most, isEnough)
    }

    /// How many units that fail in the canary alone, with none outside it, roll back at `alpha`; `share` is the canary's.
    package static func failuresToRollBack(share: Double, alpha: Double, most: Int = 10_000) -> Int? {
        let rule = SequentialRule.bayesFactor(share: share)
        guard rule.isPossible, alpha > 0, alpha < 1, most >= 1 else { return nil }
        return firstTrue(in: 1...most) { rule.isReached(FailureCounts($0, of: $0), alpha: alpha) }
    }

    /// The smallest number from which on `condition` holds, which must then hold for all larger ones.
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
