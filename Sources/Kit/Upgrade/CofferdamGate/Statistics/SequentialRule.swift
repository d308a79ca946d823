/// A sequential test, which may be evaluated after every observation: the probability that it is ever wrong is at most
/// α, however often it is evaluated (Ville's inequality for non-negative martingales, 1939).
package enum SequentialRule: Sendable, Hashable, Codable {
    /// The mixture test for a failure rate *below* `limit`: E(p) = B(a+k, b+n−k) / B(a,b) / (pᵏ(1−p)ⁿ⁻ᵏ) at p = limit
    /// with the prior Beta(1, 10/p). Robbins, "Statistical methods related to the law of the iterated logarithm"
    /// (1970); Howard, Ramdas and others, "Time-uniform confidence sequences" (2021).
    case mixture(limit: Double)

    /// Wald's sequential probability ratio test for a rate of `limit` rather than `target`, without the lower boundary,
    /// so that counting never stops. Wald, "Sequential Analysis" (1947).
    case probabilityRatio(target: Double, limit: Double)

    /// The Bayes factor for failures that fall on the candidate more often than its `share` θ of the units, where x₁ of
    /// the x₁ + x₀ failures are the candidate's: ln B(1+x₁, 1+x₀) − x₁ ln θ − x₀ ln(1−θ). Kass and Raftery, "Bayes
    /// Factors" (1995), with a uniform prior.
    case bayesFactor(share: Double)

    /// The same Bayes factor, in both directions: either side may have more than its share.
    case twoSidedBayesFactor(share: Double)

    /// The evidence that the candidate's failure rate is *less* than `factor` ρ times that of the other arm. At a ratio
    /// of exactly ρ, a failing unit is the candidate's with probability s = ρθ/(ρθ + 1 − θ), where θ is the candidate's
    /// share of the units. The evidence is the Bayes factor of a uniform prior on 0 to s against s: ln B(1+x₁, 1+x₀) +
    /// ln I_s(1+x₁, 1+x₀) − ln s − x₁ ln s − x₀ ln(1−s), if the candidate's share of the failures is less than s.
    /// Robbins (1970), for the conditional binomial distribution of two Poisson counts: Przyborowski and Wilenski,
    /// "Homogeneity of results in testing samples from Poisson series" (1940). Values above s are not part of the
    /// alternative: a prior up to 1 would lose ln(1/s), which is 3.9 in a canary of 1 % with ρ = 2.
    case ratio(share: Double, factor: Double)

    /// Returns the natural logarithm of the evidence: 0 if nothing was counted, NaN for impossible counts.
    package func logEvidence(_ counts: FailureCounts) -> Double {
        guard counts.isPossible else { return .nan }
        let (k, clean) = (counts.failures, counts.successes)
        guard counts.total > 0 else { return 0 }
        switch self {
        case .mixture(let limit):
            let prior = Self.priorWeight / limit
            return logBeta(1 + Double(k), prior + Double(clean)) - logBeta(1, prior)
                - weighted(k, ln(limit)) - weighted(clean, ln1p(-limit))
        case .probabilityRatio(let target, let limit):
            return weighted(k, ln(limit / target)) + weighted(clean, ln1p(-limit) - ln1p(-target))
        case .bayesFactor(let share), .twoSidedBayesFactor(let share): return Self.logBayesFactor(counts, share)
        case .ratio(let share, let factor):
            let bound = Self.share(at: factor, of: share)
            let below = regularizedIncompleteBeta(bound, 1 + Double(k), 1 + Double(clean))
            // If almost none of the distribution lies below s, there is almost no evidence, but its logarithm must stay
            // finite.
            return Self.logBayesFactor(counts, bound) + ln(max(below, .leastNormalMagnitude)) - ln(bound)
        }
    }

    /// Returns whether the counts lean in the direction that the rule tests: a low rate is no reason to roll back, nor
    /// a high one to promote, however strong the evidence that it differs from the limit.
    package func pointsInTestedDirection(_ counts: FailureCounts) -> Bool {
        guard counts.isPossible, let rate = counts.rate else { return false }
        return switch self {
        case .mixture(let limit): rate < limit
        case .probabilityRatio: true
        case .bayesFactor(let share): rate > share
        case .twoSidedBayesFactor: true
        case .ratio(let share, let factor): rate < Self.share(at: factor, of: share)
        }
    }

    /// Returns whether the evidence is sufficient at level α, E ≥ 1/α, and points in the direction that the rule tests.
    package func isReached(_ counts: FailureCounts, alpha: Double) -> Bool {
        pointsInTestedDirection(counts) && logEvidence(counts) >= -ln(alpha)
    }

    /// The candidate's share of the failures under the rule's null hypothesis; 0 for a rule about one side alone.
    var expectedShare: Double {
        switch self {
        case .mixture, .probabilityRatio: 0
        case .bayesFactor(let share), .twoSidedBayesFactor(let share): share
        case .ratio(let share, let factor): Self.share(at: factor, of: share)
        }
    }

    /// Whether the rule counts only failing units, and the side on which they failed.
    var countsOnlyFailures: Bool {
        switch self {
        case .bayesFactor, .twoSidedBayesFactor, .ratio: true
        case .mixture, .probabilityRatio: false
        }
    }

    /// Whether the parameters are probabilities in the order that the rule needs.
    package var isPossible: Bool {
        switch self {
        case .mixture(let limit): limit > 0 && limit < 1
        case .probabilityRatio(let target, let limit): target > 0 && target < limit && limit < 1
        case .bayesFactor(let share), .twoSidedBayesFactor(let share): share > 0 && share < 1
        case .ratio(let share, let factor): share > 0 && share < 1 && factor > 1 && factor.isFinite
        }
    }

    private static func logBayesFactor(_ counts: FailureCounts, _ share: Double) -> Double {
        let (k, rest) = (counts.failures, counts.successes)
        return logBeta(1 + Double(k), 1 + Double(rest)) - weighted(k, ln(share)) - weighted(rest, ln1p(-share))
    }

    /// Returns the candidate's share of the failing units if its failure rate is `factor` times that of the other arm.
    private static func share(at factor: Double, of share: Double) -> Double {
        factor * share / (factor * share + 1 - share)
    }

    private static let priorWeight = 10.0
}

extension SequentialRule: CustomStringConvertible {
    package var description: String {
        switch self {
        case .mixture(let limit): "mixture below \(limit.shownAsRate)"
        case .probabilityRatio(let target, let limit):
            "probability ratio \(limit.shownAsRate) against \(target.shownAsRate)"
        case .bayesFactor(let share): "Bayes factor against a share of \(share.shownAsRate)"
        case .twoSidedBayesFactor(let share): "two-sided Bayes factor against a share of \(share.shownAsRate)"
        case .ratio(let share, let factor): "ratio below \(factor.shownAsRate), at a share of \(share.shownAsRate)"
        }
    }
}
