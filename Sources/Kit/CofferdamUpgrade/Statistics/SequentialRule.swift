/// A rule that may be looked at after every single verdict: its chance of ever being wrong is at most α, however often
/// one looks (Ville's inequality for non-negative martingales, 1939).
package enum SequentialRule: Sendable, Hashable, Codable {
    /// The mixture test that the failure rate is *below* `limit`: E(p) = B(a+k, b+n−k) / B(a,b) / (pᵏ(1−p)ⁿ⁻ᵏ) at p = limit
    /// with the prior Beta(1, 10/p). Robbins, "Statistical methods related to the law of the iterated logarithm" (1970);
    /// Howard, Ramdas and others, "Time-uniform confidence sequences" (2021).
    case mixture(limit: Double)

    /// Wald's sequential probability ratio that the rate is `limit` rather than `target`, without the lower end, so that
    /// counting never stops. Wald, "Sequential Analysis" (1947).
    case probabilityRatio(target: Double, limit: Double)

    /// The Bayes factor that failures fall on the candidate's side more often than its `share` of the units:
    /// ln B(1+x₁, 1+x₀) − x₁ ln θ − x₀ ln(1−θ), with x₁ the candidate's failures of all x₁ + x₀. Kass and Raftery, "Bayes
    /// Factors" (1995), with a uniform prior.
    case bayesFactor(share: Double)

    /// The same Bayes factor, whichever side has more than its share.
    case twoSidedBayesFactor(share: Double)

    /// The evidence that the candidate fails for *fewer* than `factor` times as many units as the other arm. Under a ratio of
    /// exactly `factor` a failing unit is the candidate's with the probability s = ρθ/(ρθ + 1 − θ), θ the candidate's share of the
    /// units: so the Bayes factor against s of a prior that is uniform from 0 to s, ln B(1+x₁, 1+x₀) + ln I_s(1+x₁, 1+x₀) − ln s −
    /// x₁ ln s − x₀ ln(1−s), where the candidate's failures are fewer than s of all. Robbins (1970), for the conditional binomial of
    /// two Poisson counts: Przyborowski and Wilenski, "Homogeneity of results in testing samples from Poisson series" (1940). What
    /// lies above s is no alternative: a prior that went on to 1 would give away ln(1/s), which is 3.9 in a canary of 1 %.
    case ratio(share: Double, factor: Double)

    /// The natural logarithm of the evidence; nothing counted is none: 0. NaN for counts that are none.
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
            let most = Self.share(at: factor, of: share)
            let below = regularizedIncompleteBeta(most, 1 + Double(k), 1 + Double(clean))
            // Where next to nothing of it lies below, there is next to no evidence: a number all the same.
            return Self.logBayesFactor(counts, most) + ln(max(below, .leastNormalMagnitude)) - ln(most)
        }
    }

    /// Whether the counts lie on the side that the rule is about: a low rate is no reason to roll back, nor a high one to
    /// promote, however much evidence there is that it is not the limit.
    package func leansItsWay(_ counts: FailureCounts) -> Bool {
        guard counts.isPossible, let rate = counts.rate else { return false }
        return switch self {
        case .mixture(let limit): rate < limit
        case .probabilityRatio: true
        case .bayesFactor(let share): rate > share
        case .twoSidedBayesFactor: true
        case .ratio(let share, let factor): rate < Self.share(at: factor, of: share)
        }
    }

    /// Whether the evidence is enough at level α: E ≥ 1/α, and on the rule's own side.
    package func isReached(_ counts: FailureCounts, alpha: Double) -> Bool {
        leansItsWay(counts) && logEvidence(counts) >= -ln(alpha)
    }

    /// The candidate's share of the failures where neither side fails more than it may; 0 for a rule that knows one side alone.
    var expectedShare: Double {
        switch self {
        case .mixture, .probabilityRatio: 0
        case .bayesFactor(let share), .twoSidedBayesFactor(let share): share
        case .ratio(let share, let factor): Self.share(at: factor, of: share)
        }
    }

    /// Whether it counts failing units alone, and where they failed.
    var isOfFailuresAlone: Bool {
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

    /// Which share of the failing units is the candidate's where it fails for `factor` times as many of its own.
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
