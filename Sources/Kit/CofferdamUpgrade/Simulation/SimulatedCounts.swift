/// What can happen to a unit in a simulated world.
enum UnitEvent: Sendable, Hashable {
    case fine, mismatch, candidateFailure, legacyFailure, slow
}

extension UpgradeModel {
    /// What can happen to a unit at a stage, with weights that need not add up to 1. The units outside a canary that do well
    /// are left out: nothing comes of them.
    func chances(at stage: Stage) -> [(event: UnitEvent, chance: Double)] {
        switch stage {
        case .legacyOnly, .shadow, .candidateShadowed:
            [
                (.fine, 1 - mismatch - candidateFailure - legacyFailure - slow), (.mismatch, mismatch),
                (.candidateFailure, candidateFailure), (.legacyFailure, legacyFailure), (.slow, slow),
            ]
        case .canary(let share): chances(share: share.fraction)
        case .candidateWithFallback, .candidateOnly: chances(share: 1)
        }
    }

    private func chances(share: Double) -> [(event: UnitEvent, chance: Double)] {
        [
            (.fine, share * (1 - candidateFailure - slow)), (.candidateFailure, share * candidateFailure),
            (.slow, share * slow), (.legacyFailure, (1 - share) * legacyFailure), (.mismatch, (1 - share) * mismatch),
        ]
    }
}

/// The counters of one stage in a simulated world.
struct SimulatedCounts: Sendable {
    private let stage: Stage
    private var comparison = FailureCounts.none
    private var uncounted = FailureCounts.none
    private var alone = FailureCounts.none
    private var candidate = FailureCounts.none
    private var slow = FailureCounts.none

    init(_ stage: Stage) { self.stage = stage }

    /// Whether both sides are asked for each unit.
    private var isCompared: Bool { stage.kind == .shadow || stage.kind == .candidateShadowed }

    /// What the promotion test reads.
    var tested: FailureCounts { isCompared ? comparison : candidate }

    /// What a rollback test reads.
    subscript(metric: Metric) -> FailureCounts {
        switch metric {
        case .comparison: comparison
        case .pairedFailures, .canaryFailures: alone
        case .candidateFailures: candidate
        case .slow: slow
        default: .none
        }
    }

    mutating func add(_ event: UnitEvent, units: Int) {
        let (bad, good) = (FailureCounts(units, of: units), FailureCounts(0, of: units))
        let isAgainst = event == .mismatch || event == .candidateFailure
        if event == .candidateFailure { alone = alone + bad }
        if event == .legacyFailure { alone = alone + good }
        if isCompared {
            uncounted = uncounted + (event == .legacyFailure ? bad : good)
            if event != .legacyFailure { comparison = comparison + (isAgainst ? bad : good) }
        } else {
            // A mismatch and a legacy failure are of units outside the canary.
            if event == .mismatch { comparison = comparison + bad }
            if event == .mismatch || event == .legacyFailure { return }
            candidate = candidate + (isAgainst ? bad : good)
        }
        if event == .fine || event == .slow || event == .mismatch { slow = slow + (event == .slow ? bad : good) }
    }

    func reading(_ model: UpgradeModel) -> GateReading {
        var (comparison, active) = (comparison, FailureCounts.none)
        if case .canary(let share) = stage {
            active = FailureCounts(share.tenThousandths, of: Share.range.upperBound)
            // The rest is compared: so many more units than the canary has.
            let rest = Double(candidate.total) * (1 - share.fraction) / max(share.fraction, 1e-4)
            comparison = FailureCounts(comparison.failures, of: max(comparison.failures, Int(rest)))
        }
        return GateReading(
            stage: stage,
            metrics: [
                .comparison: comparison,
                .uncounted: uncounted,
                .noise: FailureCounts(0, of: comparison.total),
                .pairedFailures: alone,
                .candidateFailures: candidate,
                .canaryFailures: alone,
                .activeUnits: active,
                .slow: slow,
                .legacyFailures: model.baseline(model.legacyFailure),
            ],
            breaker: BreakerHistory()
        )
    }
}
