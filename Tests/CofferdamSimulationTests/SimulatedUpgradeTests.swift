import Cofferdam
import CofferdamSupport
import CofferdamGate
import Foundation
import Testing

@testable import CofferdamSimulation

@Suite struct SimulatedUpgradeTests {
    private static let plan = Result { try UpgradePlan(GateSimulation.defaultStages) }

    private func endings(_ world: SimulatedWorld, runs: Int) throws -> [SimulatedUpgrade.Ending] {
        let upgrade = SimulatedUpgrade(try Self.plan.get(), in: world)
        return (0..<runs).map { upgrade.run(seed: UInt64($0)) }
    }

    private static let usual = UpgradeModel(legacyFailure: 5e-5, slow: 0.002, legacySlow: 0.002)

    private func world(_ change: (inout UpgradeModel) -> Void) -> SimulatedWorld {
        var model = Self.usual
        change(&model)
        return model.world
    }

    @Test func `a good candidate arrives`() throws {
        let endings = try endings(world { $0.candidateFailure = 1e-4 }, runs: 300)
        let arrived = endings.filter { $0.stage == .candidateOnly }
        #expect(arrived.count >= 297)
        #expect(arrived.allSatisfy { $0.units > 6 * 7_000 })
    }

    @Test func `one at the limit does not`() throws {
        let endings = try endings(world { $0.candidateFailure = 1e-3 }, runs: 100)
        #expect(endings.count { $0.stage == .candidateOnly } <= 1)
        #expect(endings.allSatisfy { $0.verdict != .hold })
    }

    @Test func `a bad one is rolled back in the shadow, before anybody has met it`() throws {
        for ending in try endings(world { $0.mismatch = 0.01 }, runs: 50) {
            #expect(ending.stage == .shadow(sample: .all))
            #expect(ending.verdict == .rollBack)
        }
    }

    @Test func `a slow one is rolled back by the canary, against the other arm`() throws {
        for ending in try endings(world { $0.slow = 0.02 }, runs: 50) {
            #expect(ending.verdict != .promote)
        }
    }

    /// 20 % of the units call it. For rare operations see ``RareOperationTests``.
    @Test func `an operation at its limit among its own callers does not arrive`() throws {
        let world = world { $0.candidateFailure = 1e-4 }.with(.init(.failed, by: .candidate, of: "order", rate: 0.01))
        #expect(try endings(world, runs: 40).allSatisfy { $0.verdict != .promote })
    }

    @Test(arguments: [0.3, 0.05, 0.02]) func `a later operation that fails sends the upgrade back`(rate: Double) throws
    {
        let world = world { $0.candidateFailure = 1e-4 }
            .with(.init(.failed, by: .candidate, of: "details", rate: rate, place: 2))
        for ending in try endings(world, runs: 40) { #expect(ending.verdict == .rollBack) }
    }

    @Test func `a candidate that fails as many times as often as is tolerated is promoted in no more than α`() throws {
        let plan = try UpgradePlan(GateSimulation.defaultStages, settings: .defaults { $0.relativeFactor = 2 })
        let upgrade = SimulatedUpgrade(plan, in: .failing(0.005, 0.01, watched: 100_000))
        let endings = (0..<100).map { upgrade.run(seed: $0) }
        #expect(endings.count { $0.verdict == .promote } <= 1)
    }

    /// Compares asking the gate only when it can do more than hold with asking it after every event.
    @Test(arguments: [1e-4, 5e-4, 1e-3, 5e-3])
    func `each stage ends where one whose gate is asked after every unit does`(
        rate: Double
    ) throws {
        let world = world {
            $0.candidateFailure = rate
            $0.slow = 0.004
            $0.mismatch = rate / 2
        }
        let upgrade = SimulatedUpgrade(try Self.plan.get(), in: world)
        for seed in 0..<5 as Range<UInt64> {
            var (random, again) = (SplitMix64(seed: seed), SplitMix64(seed: seed))
            let (ending, slow) = (upgrade.run(&random), upgrade.run(&again, asksAlways: true))
            #expect(ending == slow, "seed \(seed)")
        }
    }

    @Test func `counters grow by the rates of their world`() throws {
        let world = world { $0.candidateFailure = 1e-3 }
        var random = SplitMix64(seed: 0)
        let baseline = world.baseline([:], &random)
        let model = StageModel(.canary(share: 1000), world, [:], &random)
        var gate = try Self.plan.get().attempt(1, against: baseline).gate(at: .canary(share: 1000))
        gate.tests = []
        gate.horizon = 200_000
        var stage = SimulatedStage(gate, model, baseline, PromotionTotals())
        _ = stage.run(&random)
        func expect(_ metric: Metric, _ failures: Double, of total: Double, line: Int = #line) {
            let counts = stage[metric]
            #expect(abs(Double(counts.failures) - failures) < 5 * failures.squareRoot() + 1, "\(metric): \(counts)")
            #expect(abs(Double(counts.total) - total) < 5 * total.squareRoot() + 1, "\(metric): \(counts)")
        }
        let (here, there) = (200_000.0, 1_800_000.0)
        expect(.candidateFailures, 200, of: here)
        expect(.activeUnits, here, of: Double(stage.units))
        #expect(abs(Double(stage.units) - here - there) < 10_000)
        expect(.canaryFailures, 200, of: 200 + there * 5e-5)
        expect(.canarySlow, 400, of: 400 + there * 0.002)
        // 25 % of the units call it, and each fault hits one of the 1.63 calls.
        expect(.candidateFailures.of("details"), 200 * 0.25 / 1.63, of: here * 0.25)
        expect(.candidateFailures.of("refund"), 200 * 0.01 / 1.63, of: here * 0.01)
        expect(.activeUnits.of("order"), here * 0.2, of: Double(stage.units) * 0.2)
        expect(.comparison, there * 1e-3 * 1.37 / 1.63, of: there * (1 - 5e-5 * 1.37 / 1.63))
    }

    /// The stages that remain without both arms.
    @Test(
        arguments: [
            .init(.failed, by: .candidate, of: "order", rate: 0.3),
            .init(.givenUp(after: .seconds(2)), by: .candidate, of: "order", rate: 0.3),
        ] as [SimulatedWorld.Fault],
        [Stage.candidateWithFallback, .candidateShadowed(sample: 1000)]
    )
    func `a write that fails or hangs sends the upgrade back at each later stage`(
        fault: SimulatedWorld.Fault,
        stage: Stage
    ) throws {
        let plan = try UpgradePlan([.legacyOnly, stage, .candidateOnly])
        let upgrade = SimulatedUpgrade(plan, in: world { $0.candidateFailure = 1e-4 }.with(fault))
        for seed in 0..<20 as Range<UInt64> { #expect(upgrade.run(seed: seed).verdict == .rollBack) }
    }

    @Test func `callers who give up on both sides are not a reason to go back`() throws {
        let plan = try UpgradePlan(GateSimulation.defaultStages)
        let faults = [Side.legacy, .candidate].map { side in
            SimulatedWorld.Fault(.givenUp(after: .seconds(2)), by: side, of: "order", rate: 0.02)
        }
        let upgrade = SimulatedUpgrade(plan, in: SimulatedWorld(faults: faults))
        #expect((0..<100).count { upgrade.run(seed: $0).verdict == .promote } >= 99)
    }

    @Test func `a seed determines a run`() throws {
        let upgrade = SimulatedUpgrade(try Self.plan.get(), in: world { $0.candidateFailure = 5e-4 })
        #expect(upgrade.run(seed: 3) == upgrade.run(seed: 3))
    }

    @Test func `the report says what came out, and complains of nothing`() throws {
        var simulation = GateSimulation()
        simulation.seeds = [0]
        simulation.runs = 50
        simulation.settings.horizon = 20_000
        simulation.scenarios = [.answers, .sameSDK]
        simulation.alarms = [.breaksForAll, .good]
        let report = try simulation.report()
        #expect(report.alpha == 0.01)
        #expect(report.atLimit.runs == 50)
        #expect(report.bad.promoted == 0)
        #expect(report.exact.promotedAtLimit < 0.01)
        #expect(report.wholeUpgrade.atLimit.arrived == 0)
        let json = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(GateSimulationReport.self, from: json) == report)
        let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(Set(object.keys) == ["alpha", "exact", "atLimit", "good", "bad", "wholeUpgrade", "scenarios", "alarm"])
        let scenarios = try #require(object["scenarios"] as? [String: [String: Any]])
        #expect(Set(scenarios.keys) == ["answers", "sameSDK"])
        #expect(scenarios["answers"]?["expected"] as? String == "rollBack")
        #expect(scenarios["answers"]?["rolledBack"] as? Int == 50)
        let alarm = try #require(object["alarm"] as? [String: [String: Any]])
        #expect(Set(alarm.keys) == ["breaksForAll", "good"])
        #expect(alarm["breaksForAll"]?["alarms"] as? Int == 50)
        #expect(alarm["good"]?["falseAlarmsPerYear"] as? Double == 0)
    }

    @Test func `a report complains of each result that must not be`() throws {
        var simulation = GateSimulation()
        simulation.seeds = [0]
        simulation.runs = 10
        simulation.scenarios = []
        simulation.alarms = []
        simulation.settings.horizon = 20_000
        var report = try simulation.report()
        report.exact.promotedAtLimit = 0.011
        report.atLimit.promotedBySeed = [10]
        report.good.promotedBySeed = [5]
        report.bad.rolledBack = 9
        report.bad.medianSamples = 301
        report.wholeUpgrade.good.arrived = 8
        report.wholeUpgrade.atLimit.arrived = 1
        report.scenarios = [
            .answers: .init(runs: 100, promoted: 0, rolledBack: 98, expected: .rollBack),
            .correlated: .init(runs: 100, promoted: 1, rolledBack: 99, expected: .rollBack),
            .sameSDK: .init(runs: 100, promoted: 98, rolledBack: 2, expected: .promote),
            .lateOpening: .init(runs: 100, promoted: 99, rolledBack: 1, expected: .promote),
            .returning: .init(runs: 100, promoted: 2, rolledBack: 0, expected: .notPromote),
        ]
        var alarm = SimulatedAlarm.Result()
        (alarm.runs, alarm.alarms, alarm.medianUnits, alarm.falseAlarms, alarm.quietHours) = (10, 9, 11, 3, 30)
        report.alarm = [.breaksForAll: alarm, .night: .init()]
        #expect(report.violations.count == 7 + 3 + 3)
        #expect(!report.isGreen)
    }

    /// Earlier, all ten at the limit were promoted if failing units stayed longer, because each unit was settled when
    /// it left.
    @Test(arguments: [(10, 500), (500, 10), (300, 300)])
    func `how long failing units stay does not steer a promotion`(clean: Int, failing: Int) throws {
        let plan = try UpgradePlan(GateSimulation.defaultStages, settings: .defaults { $0.limit = 0.01 })
        let gate = plan.gate(at: plan.stages[1])
        let windows = OverlappingVisits(clean: .seconds(clean), failing: .seconds(failing), arrivals: 30)
        var random = SplitMix64(seed: 0)
        for _ in 0..<5 {
            #expect(windows.verdict(of: gate, failing: 0.01, &random) != .promote)
            #expect(windows.verdict(of: gate, failing: 0.001, &random) == .promote)
        }
    }

    @Test(arguments: UpgradeScenario.allCases) func `a scenario ends as it must`(scenario: UpgradeScenario) throws {
        var simulation = GateSimulation()
        // Here each unit's evidence is the real one, which is slow in a debug build.
        simulation.scenarioRuns = scenario == .openWindows ? 5 : 100
        let result = try simulation.result(of: scenario)
        #expect(result.isMet(alpha: 0.01), "\(result)")
    }
}
