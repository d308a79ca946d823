/// A test of a gate: a rule for one metric, and its effect.
package struct GateTest: Sendable, Hashable, Codable {
    package var metric: Metric
    package var role: Role
    package var rule: Rule
    /// The probability that this test alone is wrong.
    package var alpha: Double
    /// A second condition; nil if there is none.
    package var floor: Floor?

    package init(_ metric: Metric, _ role: Role, _ rule: Rule, alpha: Double, floor: Floor? = nil) {
        self.metric = metric
        self.role = role
        self.rule = rule
        self.alpha = alpha
        self.floor = floor
    }

    /// A second condition on the side that has more than its share: too many of its own units failed. A difference
    /// between two sides that are both good enough is no reason to go back, however certain it is.
    ///
    /// The evidence is the probability ratio of `limit` against `target`
    /// (``SequentialRule/probabilityRatio(target:limit:)``), at the test's own α. The test is reached only if both
    /// conditions are, so its probability of error is at most α wherever reaching either of them would be an error: an
    /// intersection-union test (Berger, "Multiparameter hypothesis testing and acceptance sampling", 1982).
    package struct Floor: Sendable, Hashable, Codable {
        /// If each side answers its own units: the candidate's units, of all. If both sides are asked: a metric with
        /// the units as its total.
        package var units: Metric
        package var target: Double
        package var limit: Double

        package init(of units: Metric, target: Double, limit: Double) {
            (self.units, self.target, self.limit) = (units, target, limit)
        }

        var rule: SequentialRule { .probabilityRatio(target: target, limit: limit) }

        /// - Parameters:
        ///   - failures: the candidate's failures, of those of both sides.
        ///   - isCandidate: whether the candidate is the side that has more than its share.
        func counts(_ failures: FailureCounts, _ units: FailureCounts, isCandidate: Bool) -> FailureCounts {
            let isSplit = [.activeUnits, .firstUnits].contains(self.units.whole)
            let seen = !isSplit ? units.total : isCandidate ? units.failures : units.successes
            let failed = isCandidate ? failures.failures : failures.successes
            // An unseen unit is not among the active ones, but may have failed.
            return FailureCounts(failed, of: max(failed, seen))
        }
    }

    package enum Role: String, Sendable, Hashable, Codable {
        /// A promotion needs every test of this kind.
        case promote
        /// One test of this kind is enough for a rollback.
        case rollBack
        /// One test of this kind prevents a promotion, but does not roll back.
        case veto
    }

    /// The rule, before the measured values are inserted.
    package enum Rule: Sendable, Hashable, Codable {
        case mixture(limit: Level)
        case probabilityRatio(target: Level, limit: Level)
        /// `share` is the canary's share of the units: a number, or measured by a metric.
        case bayesFactor(share: Level)
        /// The same, whichever side has more than its share.
        case twoSidedBayesFactor(share: Level)
        /// Fewer than `factor` times as many failures as the other arm; `share` is the canary's.
        case ratio(share: Level, factor: Double)
    }

    /// A rate: fixed, or a multiple of a measured rate plus a constant.
    package struct Level: Sendable, Hashable, Codable {
        /// Added to the measured part.
        package var fixed: Double
        /// The metric of the measured part; nil if there is none.
        package var measured: Metric?
        /// The estimate that is taken of the measured part.
        package var estimate: Estimate
        /// The factor of the measured part; nil for 1.
        package var factor: Double?
        /// The factor of the odds of the rate; nil for 1.
        package var odds: Double?

        package static func fixed(_ rate: Double) -> Level { Level(fixed: rate, measured: nil, estimate: .rate) }
        package static func measured(
            _ estimate: Estimate,
            _ metric: Metric,
            times factor: Double? = nil,
            plus fixed: Double = 0
        ) -> Level {
            Level(fixed: fixed, measured: metric, estimate: estimate, factor: factor)
        }

        /// The rate for that value of the measured part.
        package func rate(_ measured: Double) -> Double {
            let rate = fixed + measured * (factor ?? 1)
            guard let odds else { return rate }
            return odds * rate / (odds * rate + 1 - rate)
        }

        /// An arm's share of the failing units, if it has the measured share of all units and fails for `factor` times
        /// as many of its own.
        package static func share(_ metric: Metric, times factor: Double?) -> Level {
            var level = measured(.rate, metric)
            level.odds = factor
            return level
        }

        /// The bounds are one-sided Clopper–Pearson bounds, at 99 %.
        package enum Estimate: String, Sendable, Hashable, Codable {
            case rate, upper, lower

            static let alpha = 0.01
        }
    }

    var levels: [Level] {
        switch rule {
        case .mixture(let level), .bayesFactor(let level), .twoSidedBayesFactor(let level), .ratio(let level, _):
            [level]
        case .probabilityRatio(let target, let limit): [target, limit]
        }
    }

    /// Whether the gate holds while the test cannot be computed. A test that can only roll back for one operation or
    /// one kind of answer does not hold up the others.
    package var isWaitedFor: Bool { role == .promote || metric.operation == nil && metric.kindOfAnswer == nil }

    /// The maximum number of kinds of answers that are tested.
    static let maxMembers = 32

    /// The test of one member of this test's family of metrics. α is split among the maximum number of members.
    func of(_ member: Metric) -> GateTest {
        var test = self
        test.metric = member
        test.alpha /= Double(Self.maxMembers)
        guard let kind = member.kindOfAnswer else { return test }
        func level(_ level: Level) -> Level {
            var level = level
            if level.measured?.isFamily ?? false { level.measured = .legacyAnswers(kind) }
            return level
        }
        if case .probabilityRatio(let target, let limit) = rule {
            test.rule = .probabilityRatio(target: level(target), limit: level(limit))
        }
        return test
    }

    /// All metrics that the test reads.
    var metrics: Set<Metric> { Set([metric] + levels.compactMap(\.measured) + [floor?.units].compactMap { $0 }) }
}

/// A share above which a gate holds, whatever its tests show.
package struct GateCeiling: Sendable, Hashable, Codable {
    package var metric: Metric
    package var limit: Double
    /// With ``GateTest/Level/Estimate/upper``, enough units must be counted to be sure of the share.
    package var estimate: GateTest.Level.Estimate

    package init(_ metric: Metric, limit: Double, estimate: GateTest.Level.Estimate = .rate) {
        self.metric = metric
        self.limit = limit
        self.estimate = estimate
    }

    /// The number of units with which it does not hold, if none of them counts against it; nil if no number is enough.
    package var cleanUnits: Int? {
        estimate == .upper ? SampleSizes.withoutFailure(rate: limit, alpha: GateTest.Level.Estimate.alpha) : 1
    }
}
