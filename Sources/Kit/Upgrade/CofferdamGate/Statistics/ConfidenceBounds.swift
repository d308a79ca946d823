/// Confidence bounds for a rate, for display and for values that are fixed before an epoch begins. They hold for a
/// single look at a sample whose size was fixed in advance, so no verdict comes from looking at them repeatedly.
package enum ConfidenceBounds {
    /// Returns the exact one-sided upper bound: Clopper and Pearson, "The use of confidence or fiducial limits" (1934).
    /// It is 1 if nothing was counted.
    ///
    /// - Parameter alpha: the error probability: 0.01 for 99 % confidence.
    package static func upper(_ counts: FailureCounts, alpha: Double) -> Double {
        guard counts.isPossible, alpha > 0, alpha < 1 else { return .nan }
        guard counts.failures < counts.total else { return 1 }
        if counts.failures == 0 { return -exponentialMinus1(ln(alpha) / Double(counts.total)) }
        return betaQuantile(1 - alpha, Double(counts.failures) + 1, Double(counts.successes))
    }

    /// Returns the exact one-sided lower bound, from the same source. It is 0 if nothing was counted.
    package static func lower(_ counts: FailureCounts, alpha: Double) -> Double {
        guard counts.isPossible, alpha > 0, alpha < 1 else { return .nan }
        guard counts.failures > 0 else { return 0 }
        return betaQuantile(alpha, Double(counts.failures), Double(counts.successes) + 1)
    }
}
