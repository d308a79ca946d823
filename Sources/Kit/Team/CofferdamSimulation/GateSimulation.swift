import Cofferdam
import CofferdamSupport
package import CofferdamGate

/// Simulates the gate in worlds whose truth is known.
package struct GateSimulation: Sendable {
    package var settings = GateSettings.defaults
    package var seeds: [UInt64] = [0, 1, 2, 3, 4]
    /// The number of runs of one gate, for each seed.
    package var runs = 2_000
    /// The maximum number of runs of the whole upgrade, for each seed.
    package var upgrades = 200
    /// The maximum number of runs of each scenario.
    package var scenarioRuns = 400
    package var scenarios = UpgradeScenario.allCases
    package var alarms = AlarmScenario.allCases
    /// The stages of the whole upgrade.
    package var stages = GateSimulation.defaultStages

    package static let defaultStages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 100), .canary(share: 1000), .canary(share: 5000),
        .candidateWithFallback, .candidateShadowed(sample: 1000), .candidateOnly,
    ]

    package init() {}

    /// - Parameter progress: receives a text for each step.
    /// - Throws: ``GateError`` for settings or stages without a valid gate; `CancellationError`.
    package func report(progress: (String) -> Void = { _ in }) throws -> GateSimulationReport {
        let gate = try SingleGate(settings)
        let plan = try UpgradePlan(stages, settings: settings)
        let (limit, target) = (settings.limit, settings.limit * settings.targetPart)
        progress("the exact calculation")
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
            ),
            scenarios: try scenarios(progress),
            alarm: try alarms(progress)
        )
    }

    /// A candidate that is as fast as the legacy side and fails at that rate.
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
        let upgrade = SimulatedUpgrade(plan, in: model.world)
        var result = GateSimulationReport.Arrivals(model: model)
        var units: [Int] = []
        for seed in seeds {
            progress("the whole upgrade of \(name), seed \(seed)")
            var random = SplitMix64(seed: seed)
            for _ in 0..<min(runs, upgrades) {
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

    // MARK: The alarm

    private func alarms(_ progress: (String) -> Void) throws -> [AlarmScenario: SimulatedAlarm.Result] {
        var results: [AlarmScenario: SimulatedAlarm.Result] = [:]
        for scenario in alarms {
            progress("the alarm, \(scenario.rawValue)")
            // About ten years; runs of real counters take longer.
            let runs = min(runs, scenario.breaks || scenario == .alwaysFailingUsers ? scenarioRuns : 1_200)
            var random = SplitMix64(seed: 0)
            results[scenario] = try SimulatedAlarm(scenario, settings: settings).result(runs: runs, &random)
        }
        return results
    }

    // MARK: Scenarios

    private func scenarios(
        _ progress: (String) -> Void
    ) throws -> [UpgradeScenario: GateSimulationReport.Scenario] {
        var results: [UpgradeScenario: GateSimulationReport.Scenario] = [:]
        for scenario in scenarios {
            progress("the scenario \(scenario.rawValue)")
            results[scenario] = try result(of: scenario)
        }
        return results
    }

    /// Runs whole upgrades of one scenario, at most `scenarioRuns`.
    package func result(of scenario: UpgradeScenario) throws -> GateSimulationReport.Scenario {
        let runs = min(runs, scenarioRuns)
        if let result = try arms(of: scenario, runs: runs) { return result }
        var result = GateSimulationReport.Scenario(expected: scenario.expected)
        let settings = scenario.settings(settings)
        let plan = try UpgradePlan(stages, settings: settings)
        if scenario == .openWindows { return try openWindows(plan, runs: runs) }
        guard let world = scenario.world(settings) else { return try returning(plan, runs: runs) }
        let upgrade = SimulatedUpgrade(plan, in: world)
        var random = SplitMix64(seed: 0)
        for _ in 0..<runs {
            try Task.checkCancellation()
            result.count(upgrade.run(&random).verdict)
        }
        return result
    }

    /// Runs the shadow alone: a candidate that it does not promote gets no further.
    private func openWindows(_ plan: UpgradePlan, runs: Int) throws -> GateSimulationReport.Scenario {
        var result = GateSimulationReport.Scenario(expected: UpgradeScenario.openWindows.expected)
        let windows = OverlappingVisits(clean: .seconds(10), failing: .seconds(500), arrivals: 30)
        let gate = plan.gate(at: plan.stages[1])
        var random = SplitMix64(seed: 0)
        for _ in 0..<runs {
            try Task.checkCancellation()
            result.count(windows.verdict(of: gate, failing: settings.limit, &random))
        }
        return result
    }

    private func returning(_ plan: UpgradePlan, runs: Int) throws -> GateSimulationReport.Scenario {
        var result = GateSimulationReport.Scenario(expected: UpgradeScenario.returning.expected)
        let units = Int((1 / settings.limit).rounded())
        var random = SplitMix64(seed: 0)
        // Each number of failing units is counted once: the counters are the same whichever units fail.
        var verdicts: [Int: GateVerdict] = [:]
        for _ in 0..<runs {
            let failing = random.binomial(units, settings.limit)
            if verdicts[failing] == nil {
                let returning = ReturningUnits(units: units, failing: failing)
                let reading = returning.reading(at: plan.stages[1])
                verdicts[failing] = plan.gate(at: plan.stages[1]).decide(reading).verdict
            }
            result.count(verdicts[failing] ?? .hold)
        }
        return result
    }
}

extension [Int] {
    /// The lower one of two middle elements; 0 if there are none.
    fileprivate var median: Int { isEmpty ? 0 : sorted()[(count - 1) / 2] }
}
