import Cofferdam

/// Tries the gate in worlds whose truth is known.
public struct GateSimulation: Sendable {
    public var settings = GateSettings.defaults
    public var seeds: [UInt64] = [0, 1, 2, 3, 4]
    /// For each seed.
    public var runs = 2_000
    /// The way that the whole upgrade takes.
    public var stages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 100), .canary(share: 1000), .canary(share: 5000),
        .candidateWithFallback, .candidateShadowed(sample: 1000), .candidateOnly,
    ]

    public init() {}

    /// - Parameter progress: told what is being done.
    /// - Throws: ``GateError`` for settings or stages that make no gate; `CancellationError`.
    public func report(progress: (String) -> Void = { _ in }) throws -> GateSimulationReport {
        let gate = try SingleGate(settings)
        let plan = try UpgradePlan(stages, settings: settings)
        let (limit, target) = (settings.limit, settings.limit * settings.targetPart)
        progress("the exact programme")
        let rates = [target, 2 * target, limit / 2, limit, 10 * limit]
        let byRate = rates.map { GateSimulationReport.Exact.ByRate(rate: $0, chances: gate.chances(rate: $0)) }
        try Task.checkCancellation()
        progress("one gate")
        return GateSimulationReport(
            alpha: settings.alpha,
            exact: .init(horizon: settings.horizon, promotedAtLimit: byRate[3].chances.promoted, byRate: byRate),
            atLimit: try runs(of: gate, rate: limit),
            good: try runs(of: gate, rate: target),
            bad: try runs(of: gate, rate: 10 * limit),
            wholeUpgrade: .init(
                stages: stages,
                alphaOfPromotion: plan.alpha,
                alphaOfRollback: plan.alphaRollback,
                good: try arrivals(of: plan, in: candidate(failing: target), named: "a good candidate", progress),
                atLimit: try arrivals(of: plan, in: candidate(failing: limit), named: "one at the limit", progress)
            )
        )
    }

    /// As fast as the legacy side, and failing at that rate: so each gate sees it.
    private func candidate(failing rate: Double) -> UpgradeModel {
        UpgradeModel(
            candidateFailure: rate,
            legacyFailure: settings.limit * settings.targetPart / 2,
            slow: 0.002,
            legacySlow: 0.002
        )
    }

    private func runs(of gate: SingleGate, rate: Double) throws -> GateSimulationReport.Runs {
        var result = GateSimulationReport.Runs(rate: rate, runsOfSeed: runs)
        var samples: [Int] = []
        for seed in seeds {
            try Task.checkCancellation()
            var random = SplitMix64(seed: seed)
            let endings = (0..<runs).map { _ in gate.run(rate: rate, &random) }
            let promoted = endings.count { $0.verdict == .promote }
            result.runs += runs
            result.promoted += promoted
            result.promotedBySeed.append(promoted)
            result.rolledBack += endings.count { $0.verdict == .rollBack }
            samples += endings.map(\.samples)
        }
        result.medianSamples = samples.median
        return result
    }

    private func arrivals(
        of plan: UpgradePlan,
        in model: UpgradeModel,
        named name: String,
        _ progress: (String) -> Void
    ) throws -> GateSimulationReport.Arrivals {
        let upgrade = SimulatedUpgrade(plan, in: model)
        var result = GateSimulationReport.Arrivals(model: model)
        var units: [Int] = []
        for seed in seeds {
            progress("the whole upgrade of \(name), seed \(seed)")
            var random = SplitMix64(seed: seed)
            for _ in 0..<runs {
                try Task.checkCancellation()
                let ending = upgrade.run(&random)
                result.runs += 1
                switch ending.verdict {
                case .promote: result.arrived += 1
                case .rollBack: result.rolledBack += 1
                case .undecided, .hold: result.undecided += 1
                }
                units.append(ending.units)
            }
        }
        result.medianUnits = units.median
        return result
    }
}

extension [Int] {
    /// The lower one of two in the middle; 0 of none.
    fileprivate var median: Int { isEmpty ? 0 : sorted()[(count - 1) / 2] }
}
