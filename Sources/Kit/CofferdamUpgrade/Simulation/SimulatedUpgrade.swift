import Cofferdam

/// A whole upgrade in a world, through all gates of a plan, on counters as the gates read them.
public struct SimulatedUpgrade: Sendable {
    private let stages: [SimulatedStage]
    private let last: Stage

    public init(_ plan: UpgradePlan, in model: UpgradeModel) {
        stages = plan.gates.compactMap { SimulatedStage($0, model) }
        last = plan.stages[plan.stages.count - 1]
    }

    /// Where a run ended.
    public struct Ending: Sendable, Hashable {
        /// The last stage if every gate promoted; otherwise the one whose gate did not.
        public var stage: Stage
        public var verdict: GateVerdict
        /// Units counted, of all stages.
        public var units: Int
    }

    /// One run, determined by the seed.
    public func run(seed: UInt64) -> Ending {
        var random = SplitMix64(seed: seed)
        return run(&random)
    }

    func run(_ random: inout SplitMix64) -> Ending {
        var units = 0
        for stage in stages {
            let ending = stage.run(&random)
            units += ending.samples
            if ending.verdict != .promote {
                return Ending(stage: stage.gate.stage, verdict: ending.verdict, units: units)
            }
        }
        return Ending(stage: last, verdict: .promote, units: units)
    }
}
