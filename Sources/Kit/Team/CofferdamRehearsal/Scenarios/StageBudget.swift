import CofferdamUpgrade

/// The gate's largest requirement before it can promote a faultless candidate.
package struct StageNeed: Sendable, Hashable, Codable {
    /// The number of units that must be counted.
    var units: Int
    var metric: Metric
}

extension StageNeed: CustomStringConvertible {
    package var description: String { "\(units) for \(metric)" }
}

/// The visits that a stage needs until its gate can decide.
struct StageBudget: Hashable {
    /// The requirement that takes the most visits; nil at the last stage.
    var need: StageNeed?
    /// The maximum number of visits: four times what a faultless candidate requires, which is enough for a good one
    /// with a few random failures.
    var maxVisits: Int

    /// - Parameters:
    ///   - compared: the share of the visits that can be compared on both sides.
    ///   - returning: the share of the visits by units that were counted before.
    /// - Throws: `TrafficProblem` if the gate requires comparisons and no visit can be compared.
    init(at stage: Stage, of plan: UpgradePlan, compared: Double, returning: Double = 0) throws {
        switch stage {
        case plan.stages.first:
            let need = plan.baselineNeeded
            // With a margin, because users who give up before any answer do not count.
            (self.need, maxVisits) = (need, Int((Double(need.units) * 1.1 / (1 - returning)).rounded(.up)))
        case plan.stages.last:
            // As long as the second stage, which began the upgrade.
            let units = plan.criteria(at: plan.stages[1]).map(\.units).max() ?? 1
            (need, maxVisits) = (nil, Int((Double(units) / (1 - returning)).rounded(.up)))
        default:
            let parts = StageParts(stage, compared: compared * (1 - plan.settings.uncountedLimit))
            var (need, maximum) = (StageNeed?.none, 0.0)
            for criterion in plan.criteria(at: stage) {
                let part = parts.part(of: criterion.metric) * plan.callers(of: criterion.metric)
                guard part > 0 else {
                    throw TrafficProblem("no visit is compared, but \(stage) needs \(criterion)")
                }
                let visits = 4 * Double(criterion.units + Self.spare) / part / (1 - returning)
                if visits > maximum { (need, maximum) = (criterion, visits) }
            }
            (self.need, maxVisits) = (need, Int(min(maximum.rounded(.up), Self.endless)))
        }
    }

    /// A margin, so that a test that requires one unit gets one.
    private static let spare = 2
    private static let endless = 1e15
}

/// The share of a stage's units that a metric counts.
private struct StageParts {
    private let stage: Stage
    private let called: Double
    private let compared: Double

    init(_ stage: Stage, compared: Double) {
        self.stage = stage
        let (called, sampled) =
            switch stage {
            case .canary(let share): (share.fraction, 1 - share.fraction)
            case .shadow(let sample), .candidateShadowed(let sample): (1, sample.fraction)
            case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: (1, 1)
            }
        self.called = called
        self.compared = sampled * compared
    }

    func part(of metric: Metric) -> Double {
        let countsCalls =
            metric.whole == .candidateFailures || metric.whole == Metric.candidateFailures.includingOpenWindows
            || metric == .failedOnBoth
        return countsCalls ? called : compared
    }
}

extension UpgradePlan {
    /// The units of each metric that a stage's gate must count before it can promote.
    fileprivate func criteria(at stage: Stage) -> [StageNeed] {
        guard let gate = gates.first(where: { $0.stage == stage }) else { return [] }
        return gate.tests.compactMap(\.criterion) + gate.ceilings.map(\.criterion)
    }

    /// The share of the units that make a metric's calls, as measured on the old side.
    fileprivate func callers(of metric: Metric) -> Double {
        guard let baseline, let operation = metric.operation.flatMap({ baseline.operations[$0] }) else { return 1 }
        return Double(operation.units.total) / Double(max(1, baseline.units.total))
    }

    /// The requirement on the old side's baseline before any gate can use it. The bound on its failure rate is half of
    /// 1 minus the limit, so that a candidate whose rate is higher by the limit can still be told apart.
    fileprivate var baselineNeeded: StageNeed {
        let bounded = SampleSizes.withoutFailure(rate: (1 - settings.limit) / 2, alpha: 0.01) ?? maxUnits
        return StageNeed(units: max(bounded, settings.minimumBaselineCalls), metric: .legacyFailures)
    }
}

extension GateTest {
    /// Nil for a test that the gate never waits for.
    fileprivate var criterion: StageNeed? {
        switch rule {
        case .mixture(let limit):
            let units = SampleSizes.toPromote(failures: 0, limit: limit.fixed, alpha: alpha, upTo: maxUnits)
            return StageNeed(units: units ?? maxUnits, metric: metric)
        case .probabilityRatio: return isWaitedFor && !metric.isFamily ? StageNeed(units: 1, metric: metric) : nil
        case .bayesFactor, .twoSidedBayesFactor, .ratio: return nil
        }
    }
}

extension GateCeiling {
    fileprivate var criterion: StageNeed { StageNeed(units: cleanUnits ?? maxUnits, metric: metric) }
}

private let maxUnits = 10_000_000
