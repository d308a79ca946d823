import Cofferdam
import CofferdamSupport
import CofferdamGate

/// Builds with one side each, whose units fail independently: see ``Arm``.
struct SimulatedArms: Sendable {
    /// The failure rates of the first build's units and of the second one's. At `aa`, both builds have the legacy side.
    var first: Double
    var second: Double
    /// The share of each build's units that meet a slow call.
    var slow = (first: 0.005, second: 0.005)
    /// The second build's share of the units.
    var share = 0.3

    /// The number of units after which the gate looks again.
    private static let step = 250

    /// The gate's first verdict other than hold.
    func verdict(of gate: Gate, _ baseline: LegacyBaseline, _ random: inout SplitMix64) -> GateVerdict {
        var (one, two, slowOne, slowTwo) = (FailureCounts.none, FailureCounts.none, 0, 0)
        while true {
            let new = random.binomial(Self.step, share)
            two = two + FailureCounts(random.binomial(new, second), of: new)
            one = one + FailureCounts(random.binomial(Self.step - new, first), of: Self.step - new)
            slowTwo += random.binomial(new, slow.second)
            slowOne += random.binomial(Self.step - new, slow.first)
            var metrics: [Metric: FailureCounts] = [
                .candidateFailures: two, .firstFailures: one, .canaryGaveUp: .none, .firstShareOfGaveUp: .none,
                .canarySlow: FailureCounts(slowTwo, of: slowTwo + slowOne),
                .firstShareOfSlow: FailureCounts(slowOne, of: slowTwo + slowOne),
                .canaryFailures: FailureCounts(two.failures, of: two.failures + one.failures),
                .firstShareOfFailures: FailureCounts(one.failures, of: two.failures + one.failures),
                .activeUnits: FailureCounts(two.total, of: two.total + one.total),
                .firstUnits: FailureCounts(one.total, of: two.total + one.total),
            ]
            baseline.add(to: &metrics)
            let verdict = gate.decide(
                GateReading(stage: gate.stage, seconds: gate.shortestSeconds ?? 0, metrics: metrics)
            ).verdict
            if verdict != .hold { return verdict }
        }
    }
}

extension UpgradeScenario {
    /// The builds of a scenario, stage by stage, with the measured failure rate of the legacy side; empty for a
    /// scenario with both sides in one process.
    func arms(_ settings: GateSettings) -> [(stage: Stage, arms: SimulatedArms, baseline: Double)] {
        let (good, limit) = (settings.limit * settings.targetPart, settings.limit)
        return switch self {
        case .armsOfOneSDK:
            [
                (.aa, SimulatedArms(first: good, second: good), good),
                (.arms, SimulatedArms(first: good, second: good), good),
            ]
        case .worseArm: [(.arms, SimulatedArms(first: good, second: 10 * limit), good)]
        case .evenlySlowArms:
            [Stage.aa, .arms].map { ($0, SimulatedArms(first: good, second: good, slow: (0.05, 0.05)), good) }
        case .unevenlySlowArms: [(.aa, SimulatedArms(first: good, second: good, slow: (0.01, 0.1)), good)]
        case .selfSelectedArms: [(.aa, SimulatedArms(first: good, second: 3 * limit), good)]
        case .selfSelectedNoisyArms: [(.aa, SimulatedArms(first: 10 * limit, second: 5 * limit), 5 * limit)]
        default: []
        }
    }
}

extension GateSimulation {
    /// Runs whole upgrades with builds of one side each; returns nil for a scenario with both sides in one process.
    func arms(of scenario: UpgradeScenario, runs: Int) throws -> GateSimulationReport.Scenario? {
        let walk = scenario.arms(settings)
        guard !walk.isEmpty else { return nil }
        var result = GateSimulationReport.Scenario(expected: scenario.expected)
        var settings = settings
        settings.relativeFactor = NamedPlan.arms.settings.relativeFactor
        var random = SplitMix64(seed: 0)
        for _ in 0..<runs {
            try Task.checkCancellation()
            var verdict = GateVerdict.hold
            for (stage, arms, rate) in walk {
                let watched = 2 * settings.horizon
                let units = FailureCounts(Int(rate * Double(watched)), of: watched)
                let baseline = LegacyBaseline(units: units, gaveUp: 0)
                let plan = try UpgradePlan(NamedPlan.arms.stages, settings: settings, against: baseline)
                verdict = arms.verdict(of: plan.gate(at: stage), baseline, &random)
                if verdict != .promote { break }
            }
            result.count(verdict)
        }
        return result
    }
}
