import Cofferdam
@testable import CofferdamUpgrade
import Foundation
import Testing

@Suite struct SimulatedUpgradeTests {
    private static let plan = Result {
        try UpgradePlan([
            .legacyOnly, .shadow(sample: .all), .canary(share: 100), .canary(share: 1000), .canary(share: 5000),
            .candidateWithFallback, .candidateShadowed(sample: 1000), .candidateOnly,
        ])
    }

    private func endings(_ model: UpgradeModel, runs: Int) throws -> [SimulatedUpgrade.Ending] {
        let upgrade = SimulatedUpgrade(try Self.plan.get(), in: model)
        return (0..<runs).map { upgrade.run(seed: UInt64($0)) }
    }

    private static let usual = UpgradeModel(legacyFailure: 5e-5, slow: 0.002, legacySlow: 0.002)

    private func world(_ change: (inout UpgradeModel) -> Void) -> UpgradeModel {
        var model = Self.usual
        change(&model)
        return model
    }

    @Test func `a good candidate arrives`() throws {
        let endings = try endings(world { $0.candidateFailure = 1e-4 }, runs: 100)
        let arrived = endings.filter { $0.stage == .candidateOnly }
        #expect(arrived.count >= 99)
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

    @Test func `a slow one is rolled back`() throws {
        for ending in try endings(world { $0.slow = 0.02 }, runs: 50) { #expect(ending.verdict == .rollBack) }
    }

    /// Asking the gate only where it can do more than hold, against asking it after every event.
    @Test(arguments: [1e-4, 5e-4, 1e-3, 5e-3]) func `each stage ends where one that is always asked does`(
        rate: Double
    ) throws {
        let model = world {
            $0.candidateFailure = rate
            $0.slow = 0.004
            $0.mismatch = rate / 2
        }
        for gate in try Self.plan.get().gates {
            guard let stage = SimulatedStage(gate, model) else { continue }
            for seed in 0..<3 as Range<UInt64> {
                var (random, again) = (SplitMix64(seed: seed), SplitMix64(seed: seed))
                let (ending, slow) = (stage.run(&random), stage.run(&again, asksAlways: true))
                #expect(ending == slow, "\(gate.stage), seed \(seed)")
            }
        }
    }

    @Test func `a seed determines a run`() throws {
        let upgrade = SimulatedUpgrade(try Self.plan.get(), in: world { $0.candidateFailure = 5e-4 })
        #expect(upgrade.run(seed: 3) == upgrade.run(seed: 3))
    }

    @Test func `the report says what came out, and complains of nothing`() throws {
        var simulation = GateSimulation()
        simulation.seeds = [0]
        simulation.runs = 50
        simulation.settings.horizon = 8_000
        let report = try simulation.report()
        #expect(report.alpha == 0.01)
        #expect(report.atLimit.runs == 50)
        #expect(report.bad.promoted == 0)
        #expect(report.exact.promotedAtLimit < 0.01)
        #expect(report.wholeUpgrade.atLimit.arrived == 0)
        let json = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(GateSimulationReport.self, from: json) == report)
        let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(Set(object.keys) == ["alpha", "exact", "atLimit", "good", "bad", "wholeUpgrade"])
    }

    @Test func `a report of what must not be complains of each`() throws {
        var simulation = GateSimulation()
        simulation.seeds = [0]
        simulation.runs = 10
        simulation.settings.horizon = 6_000
        var report = try simulation.report()
        report.exact.promotedAtLimit = 0.011
        report.atLimit.promotedBySeed = [10]
        report.good.promotedBySeed = [5]
        report.bad.rolledBack = 9
        report.bad.medianSamples = 301
        report.wholeUpgrade.good.arrived = 8
        report.wholeUpgrade.atLimit.arrived = 1
        #expect(report.complaints.count == 7)
        #expect(!report.isGreen)
    }
}
