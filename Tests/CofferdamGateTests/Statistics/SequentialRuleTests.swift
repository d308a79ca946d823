import CofferdamGate
import Testing

@Suite struct SequentialRuleTests {
    @Test(
        arguments: [
            (.mixture(limit: 0.001), 0, 5009, 4.605441243),
            (.mixture(limit: 0.001), 0, 5008, 4.604507371),
            (.mixture(limit: 0.001), 3, 1000, -4.499192184),
            (.mixture(limit: 0.001), 0, 0, 0),
            (.bayesFactor(share: 0.1), 25, 100, 7.00617736),
            (.bayesFactor(share: 0.05), 3, 3, 7.60090246),
            (.bayesFactor(share: 0.05), 2, 2, 4.892852258),
            (.bayesFactor(share: 0.5), 0, 0, 0),
            // Computed by another program, from its own ln Γ.
            (.twoSidedBayesFactor(share: 0.1), 0, 40, 0.500848560),
            (.twoSidedBayesFactor(share: 0.1), 25, 100, 7.006177359),
            (.twoSidedBayesFactor(share: 0.01), 0, 300, -2.692009509),
            (.ratio(share: 0.5, factor: 2), 30, 100, 26.215062400),
            (.ratio(share: 0.5, factor: 2), 100, 250, 34.932615894),
            (.ratio(share: 0.5, factor: 2), 66, 100, -2.277170275),
            (.ratio(share: 0.01, factor: 2), 5, 600, 1.832252841),
            (.mixture(limit: 0.01), 0, 725, 6.741266443),
            (.probabilityRatio(target: 1e-4, limit: 1e-3), 1, 1, 2.302585093),
            (.probabilityRatio(target: 1e-4, limit: 1e-3), 0, 1, -0.000900495333),
            (.probabilityRatio(target: 1e-4, limit: 1e-3), 2, 1002, 2 * 2.302585093 - 0.900495333),
        ] as [(SequentialRule, Int, Int, Double)]
    )
    func `evidence has its reference value`(rule: SequentialRule, failures: Int, total: Int, value: Double) {
        #expect(abs(rule.logEvidence(FailureCounts(failures, of: total)) - value) < 1e-6)
    }

    @Test(arguments: [(0, 5009), (1, 8091), (2, 10696), (3, 13060)])
    func `a promotion at 0.1 % and 1 % needs so many`(failures: Int, total: Int) {
        #expect(SampleSizes.toPromote(failures: failures, limit: 0.001, alpha: 0.01) == total)
        let rule = SequentialRule.mixture(limit: 0.001)
        #expect(rule.isReached(FailureCounts(failures, of: total), alpha: 0.01))
        #expect(!rule.isReached(FailureCounts(failures, of: total - 1), alpha: 0.01))
    }

    @Test func `a rate above the limit is never promoted, however much evidence there is against the limit`() {
        let counts = FailureCounts(100, of: 10_000)
        let rule = SequentialRule.mixture(limit: 0.001)
        #expect(rule.logEvidence(counts) > 4.7)
        #expect(!rule.isReached(counts, alpha: 0.01))
    }

    @Test func `a candidate that fails less often is not rolled back for being different`() {
        let counts = FailureCounts(0, of: 500)
        let rule = SequentialRule.bayesFactor(share: 0.1)
        #expect(rule.logEvidence(counts) > 4.7)
        #expect(!rule.isReached(counts, alpha: 0.01))
    }

    @Test func `too few answers of a kind are as wrong as too many`() {
        let rule = SequentialRule.twoSidedBayesFactor(share: 0.5)
        for counts in [FailureCounts(30, of: 30), FailureCounts(0, of: 30)] {
            #expect(rule.isReached(counts, alpha: 0.01))
        }
        #expect(!rule.isReached(FailureCounts(15, of: 30), alpha: 0.01))
    }

    @Test func `a ratio is below its factor only where it is seen to be`() {
        let rule = SequentialRule.ratio(share: 0.5, factor: 2)
        #expect(rule.isReached(FailureCounts(30, of: 100), alpha: 0.01))
        #expect(!rule.isReached(FailureCounts(66, of: 100), alpha: 0.01))
        // A rate on the other side is no evidence, but still a number.
        #expect(abs(rule.logEvidence(FailureCounts(100, of: 100)) + 4.615120517) < 1e-6)
        #expect(rule.logEvidence(FailureCounts(100_000, of: 100_000)).isFinite)
        #expect(!rule.isReached(FailureCounts(100, of: 100), alpha: 0.01))
        #expect(!SequentialRule.ratio(share: 0.5, factor: 1).isPossible)
        #expect(!SequentialRule.ratio(share: 1, factor: 2).isPossible)
    }

    @Test(arguments: [(0.05, 0.01, 2), (0.05, 0.001, 3), (0.5, 0.01, 11), (0.01, 0.01, 2), (0.01, 1e-9, 5)])
    func `this many units that fail only in the canary roll back`(share: Double, alpha: Double, units: Int) {
        let rule = SequentialRule.bayesFactor(share: share)
        let needed = (1...100).first { rule.isReached(FailureCounts($0, of: $0), alpha: alpha) }
        #expect(needed == units)
    }

    /// Wald's test with two bounds, from reference values only; ours has no lower bound.
    @Test(
        arguments: [
            (0, 5103, 4.595119850), (1, 7661, 4.595119850), (2, 10219, 4.595119850),
            (0, 5115, 4.605170186), (1, 7673, 4.605170186), (2, 10231, 4.605170186),
        ]
    )
    func `the probability ratio falls to Wald's lower bound where it should`(failures: Int, total: Int, bound: Double) {
        let rule = SequentialRule.probabilityRatio(target: 1e-4, limit: 1e-3)
        #expect(rule.logEvidence(FailureCounts(failures, of: total)) <= -bound)
        #expect(rule.logEvidence(FailureCounts(failures, of: total - 1)) > -bound)
    }

    @Test(arguments: [FailureCounts(-1, of: 5), FailureCounts(6, of: 5), FailureCounts(0, of: -1)])
    func `impossible counts are no evidence`(counts: FailureCounts) {
        for rule in [SequentialRule.mixture(limit: 0.5), .bayesFactor(share: 0.5)] {
            #expect(rule.logEvidence(counts).isNaN)
            #expect(!rule.isReached(counts, alpha: 0.5))
        }
    }

    @Test(
        arguments: [
            .mixture(limit: 0), .mixture(limit: 1), .mixture(limit: .nan), .bayesFactor(share: 0),
            .bayesFactor(share: 1), .probabilityRatio(target: 0.2, limit: 0.1),
            .probabilityRatio(target: 0, limit: 0.1), .probabilityRatio(target: 0.1, limit: 1),
        ] as [SequentialRule]
    )
    func `parameters that are not probabilities, or in the wrong order, are impossible`(rule: SequentialRule) {
        #expect(!rule.isPossible)
    }

    /// The e-value's mean under the limit is 1, which is why looking often does no harm. Summed over all failures of n.
    @Test(arguments: [1, 10, 100, 300])
    func `the evidence of the mixture has mean 1 at the limit`(total: Int) {
        let (rule, limit) = (SequentialRule.mixture(limit: 0.01), 0.01)
        var mean = 0.0
        for failures in 0...total {
            let counts = FailureCounts(failures, of: total)
            let ways = -logBeta(Double(failures) + 1, Double(counts.successes) + 1) - Power.log(Double(total) + 1)
            let chance = ways + Double(failures) * Power.log(limit) + Double(counts.successes) * Power.log(1 - limit)
            mean += Power.exp(chance + rule.logEvidence(counts))
        }
        #expect(abs(mean - 1) < 1e-9)
    }
}
