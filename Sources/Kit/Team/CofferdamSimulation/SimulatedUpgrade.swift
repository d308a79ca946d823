import Cofferdam
import CofferdamSupport
package import CofferdamGate

/// A whole upgrade in a simulated world, through all gates of a plan, on counters as the gates read them.
package struct SimulatedUpgrade: Sendable {
    private let plan: UpgradePlan
    private let world: SimulatedWorld
    private let models: [StageModel]
    private let slowLimits: [String: Int64]
    private let totals = PromotionTotals()

    /// - Parameter seed: for what is the same in every run: the durations of the legacy calls from which the slow
    ///   limits follow.
    package init(_ plan: UpgradePlan, in world: SimulatedWorld, seed: UInt64 = 0) {
        var random = SplitMix64(seed: seed)
        self.plan = plan
        self.world = world
        let limits = world.slowLimits(calls: plan.settings.minimumBaselineCalls, &random)
        slowLimits = limits
        models = plan.stages.dropLast().filter { $0 != .legacyOnly }.map { StageModel($0, world, limits, &random) }
    }

    /// Where a run ended.
    package struct Ending: Sendable, Hashable {
        /// The last stage if every gate promoted; otherwise the one whose gate did not.
        package var stage: Stage
        package var verdict: GateVerdict
        /// The number of units counted, over all stages.
        package var units: Int
    }

    /// One run, determined by the seed.
    package func run(seed: UInt64) -> Ending {
        var random = SplitMix64(seed: seed)
        return run(&random)
    }

    func run(_ random: inout SplitMix64, asksAlways: Bool = false) -> Ending {
        let baseline = world.baseline(slowLimits, &random)
        if plan.problem(of: baseline) != nil { return Ending(stage: .legacyOnly, verdict: .hold, units: 0) }
        let plan = plan.attempt(plan.settings.attempt, against: baseline)
        var units = 0
        for model in models {
            var stage = SimulatedStage(plan.gate(at: model.stage), model, baseline, totals)
            let ending = stage.run(&random, asksAlways: asksAlways)
            units += ending.samples
            if ending.verdict != .promote { return Ending(stage: model.stage, verdict: ending.verdict, units: units) }
        }
        return Ending(stage: plan.stages[plan.stages.count - 1], verdict: .promote, units: units)
    }
}
