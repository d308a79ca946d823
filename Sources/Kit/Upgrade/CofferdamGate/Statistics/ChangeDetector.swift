/// Detects that a rate has risen above an expected one at some time, from counts in the order of their periods.
///
/// It is an e-detector of Shiryaev–Roberts form: M ← (1 + M) · L for each period, where L is the likelihood ratio of a
/// higher rate against the expected one; eight higher rates are mixed. As long as the true rate is at most the expected
/// one, the mean number of periods until M reaches 1/α is at least 1/α, however often one looks within a period: until
/// its end, L is a test supermartingale (Shin, Ramdas and Rinaldo, "E-detectors: a nonparametric framework for sequential
/// change detection", 2023). Unlike a test, it does not need more failures because there were none for long.
package struct ChangeDetector: Sendable {
    /// The counts of one period, and the rate that is expected of them.
    package struct Period: Sendable, Hashable {
        package var counts: FailureCounts
        /// Above 0 and below 1.
        package var expected: Double

        package init(_ counts: FailureCounts, expected: Double) { (self.counts, self.expected) = (counts, expected) }
    }

    /// The result over all periods.
    package struct Result: Sendable, Hashable {
        /// ln M: −∞ before anything was counted.
        package var value: Double
        /// The place of the period at which the rise most probably began.
        package var start: Int
    }

    /// The number of higher rates.
    private static let count = 8

    /// - Parameter periods: the oldest first. A period with impossible counts, or without a possible rate, says nothing.
    package static func result(of periods: [Period]) -> Result {
        var logs = [Double](repeating: -.infinity, count: count)
        /// Of each alternative, the greatest evidence of a suffix, and where that begins.
        var best = [(sum: Double, start: Int)](repeating: (0, 0), count: count)
        // Most periods expect the same.
        var (expected, gains): (Double, [(failure: Double, success: Double)]) = (.nan, [])
        for (place, period) in periods.enumerated() where period.isPossible {
            if period.expected != expected {
                expected = period.expected
                gains = alternatives(to: expected).map { (ln($0 / expected), ln1p(-$0) - ln1p(-expected)) }
            }
            for (number, gains) in gains.enumerated() {
                let gain =
                    weighted(period.counts.failures, gains.failure) + weighted(period.counts.successes, gains.success)
                logs[number] = lnOfOnePlus(logs[number]) + gain
                if best[number].sum <= 0 { best[number] = (0, place) }
                best[number].sum += gain
            }
        }
        let highest = logs.max() ?? -.infinity
        guard highest > -.infinity else { return Result(value: -.infinity, start: 0) }
        let sum = logs.reduce(0) { $0 + exponential($1 - highest) }
        let number = logs.firstIndex(of: highest) ?? 0
        return Result(value: highest + ln(sum) - ln(Double(count)), start: best[number].start)
    }

    /// Rates with odds from twice the expected ones to 50 to 1, or to four times the expected ones if that is more, at
    /// equal distances of their logarithms.
    private static func alternatives(to expected: Double) -> [Double] {
        let odds = expected / (1 - expected)
        let (least, most) = (ln(2 * odds), max(ln(50), ln(4 * odds)))
        return (0..<count).map { number in
            let odds = exponential(least + (most - least) * Double(number) / Double(count - 1))
            return odds / (1 + odds)
        }
    }

    /// ln(1 + eˣ).
    private static func lnOfOnePlus(_ x: Double) -> Double { x > 0 ? x + ln1p(exponential(-x)) : ln1p(exponential(x)) }
}

extension ChangeDetector.Period {
    fileprivate var isPossible: Bool { counts.isPossible && counts.total > 0 && expected > 0 && expected < 1 }
}
