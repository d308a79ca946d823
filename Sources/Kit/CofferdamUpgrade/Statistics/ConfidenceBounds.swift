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

    /// Returns Wilson's two-sided interval, "Probable inference" (1927); nil if nothing was counted, or for invalid
    /// input.
    ///
    /// - Parameter z: the normal quantile, 1.959964 for 95 %.
    package static func wilson(_ counts: FailureCounts, z: Double = 1.959_963_984_540_054) -> ClosedRange<Double>? {
        guard counts.isPossible, let rate = counts.rate, z > 0 else { return nil }
        let (n, square) = (Double(counts.total), z * z)
        let centre = (rate + square / (2 * n)) / (1 + square / n)
        let half = z / (1 + square / n) * (rate * (1 - rate) / n + square / (4 * n * n)).squareRoot()
        return max(0, centre - half)...min(1, centre + half)
    }
}

/// Returns the p-value of McNemar's exact one-sided test for discordant pairs: the probability that at least
/// `candidateOnly` of them fall on the candidate's side if both sides are alike. McNemar (1947), with the exact
/// binomial distribution at ½.
package func exactMcNemar(candidateOnly: Int, legacyOnly: Int) -> Double {
    guard candidateOnly >= 0, legacyOnly >= 0 else { return .nan }
    guard candidateOnly > 0 else { return 1 }
    // P(X ≥ x₁) for X of Bin(x₁ + x₀, ½) (DLMF 8.17.5).
    return regularizedIncompleteBeta(0.5, Double(candidateOnly), Double(legacyOnly) + 1)
}

/// Distribution-free bounds for a quantile, from the order of the samples alone. David and Nagaraja, "Order Statistics"
/// (2003), 7.1.
package enum QuantileBounds {
    /// Returns the smallest number of samples whose maximum is above the quantile with `confidence`; for p99 at 99 %,
    /// it is 459.
    package static func sampleSize(quantile: Double, confidence: Double) -> Int? {
        guard quantile > 0, quantile < 1, confidence > 0, confidence < 1 else { return nil }
        return SampleSizes.withoutFailure(rate: 1 - quantile, alpha: 1 - confidence)
    }

    /// Returns the rank, from 1, of the smallest of `count` sorted samples that is an upper bound for the quantile with
    /// `confidence`; nil if there are too few.
    package static func upperRank(quantile: Double, confidence: Double, count: Int) -> Int? {
        guard let minimum = sampleSize(quantile: quantile, confidence: confidence), count >= minimum else { return nil }
        var (low, high) = (1, count)
        while low < high {
            let rank = low + (high - low) / 2
            // P(fewer than `rank` of the samples lie below the quantile) = I₁₋q(n − rank + 1, rank).
            let reached = regularizedIncompleteBeta(1 - quantile, Double(count - rank + 1), Double(rank)) >= confidence
            if reached { high = rank } else { low = rank + 1 }
        }
        return low
    }
}
