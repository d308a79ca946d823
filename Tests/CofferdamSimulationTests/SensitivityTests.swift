import Cofferdam
import CofferdamSupport
import CofferdamGate
import Testing

@testable import CofferdamSimulation

/// Runs the same upgrades under other conditions than the scenarios': a gate's verdict must not depend on one number.
@Suite struct SensitivityTests {
    private static let runs = 100

    private func endings(
        _ world: SimulatedWorld,
        _ change: (inout GateSettings) -> Void = { _ in }
    ) throws -> GateSimulationReport.Scenario {
        let plan = try UpgradePlan(GateSimulation.defaultStages, settings: .defaults(change))
        let upgrade = SimulatedUpgrade(plan, in: world)
        var result = GateSimulationReport.Scenario(expected: .promote)
        var random = SplitMix64(seed: 0)
        for _ in 0..<Self.runs { result.count(upgrade.run(&random).verdict) }
        return result
    }

    private func failing(_ candidate: Double, _ legacy: Double, _ pace: SimulatedPace? = nil) -> SimulatedWorld {
        let faults: [SimulatedWorld.Fault] = [
            .init(.failed, by: .candidate, rate: candidate), .init(.failed, by: .legacy, rate: legacy),
        ]
        return SimulatedWorld(faults: faults.filter { $0.rate > 0 }, pace: pace)
    }

    /// Earlier, of 400 runs, 319 and 1 completed where the legacy side never failed, at a limit of 0.001 and 0.01; 331
    /// where it failed a quarter as often, at 0.01: the arms were compared without regard to either side's tolerance.
    @Test(arguments: [0.001, 0.01], [0, 0.25, 1])
    func `a good candidate arrives, however rarely the legacy side fails`(limit: Double, part: Double) throws {
        let result = try endings(failing(limit / 10, limit / 10 * part)) {
            $0.limit = limit
        }
        #expect(result.isMet(alpha: 0.01), "\(result)")
    }

    @Test(arguments: [(0.3, 2), (0.5, 1), (0.5, 1.5), (0.5, 2), (0.7, 1)])
    func `a fast candidate arrives, whatever the spread of its calls, under some load`(
        spread: Double,
        load: Double
    ) throws {
        let pace = SimulatedPace(legacy: 0.65, candidate: 0.81, spread: spread, load: load)
        let result = try endings(failing(1e-4, 0, pace))
        #expect(result.isMet(alpha: 0.01), "\(result)")
    }

    /// Earlier, of 400 runs, 283 completed at a spread of 0.5: any difference of the tails was a reason to roll back.
    @Test(arguments: [0.3, 0.5, 0.8, 1.2])
    func `a candidate whose calls take a tenth longer arrives`(spread: Double) throws {
        let pace = SimulatedPace(legacy: 20, candidate: 22, spread: spread)
        let result = try endings(failing(1e-4, 0, pace))
        #expect(result.isMet(alpha: 0.01), "\(result)")
    }

    @Test(arguments: [0.5, 0.8]) func `one whose calls take three times as long does not`(spread: Double) throws {
        let result = try endings(failing(1e-4, 1e-4, SimulatedPace(legacy: 20, candidate: 60, spread: spread)))
        #expect(result.promoted == 0, "\(result)")
    }

    /// A load beyond what the limit was made for holds the shadow, and rolls nothing back.
    @Test func `a fast candidate under too much load is left to a person`() throws {
        let result = try endings(failing(1e-4, 1e-4, SimulatedPace(legacy: 0.65, candidate: 0.81, load: 4)))
        #expect(result.promoted == 0)
        #expect(result.rolledBack == 0)
    }

    @Test(arguments: [(0.005, 100_000), (0.01, 20_000), (0.02, 20_000)])
    func `a candidate that fails as often as a noisy legacy side arrives`(rate: Double, watched: Int) throws {
        let result = try endings(.failing(rate, rate, watched: watched)) { $0.relativeFactor = 2 }
        #expect(result.isMet(alpha: 0.01), "\(result)")
    }

    @Test(arguments: [0.003, 0.02]) func `one that fails twice as often does not`(rate: Double) throws {
        let result = try endings(.failing(rate, 2 * rate, watched: 20_000)) { $0.relativeFactor = 2 }
        #expect(result.promoted <= 1, "\(result)")
    }

    /// Earlier, of 200 runs, 79 were rolled back at 0.05 %, and 199 at 0.1 %.
    @Test(arguments: [1e-4, 5e-4, 1e-3, 5e-3])
    func `the legacy side is not rolled back against itself, whatever it fails for`(rate: Double) throws {
        let result = try endings(failing(rate, rate))
        #expect(result.rolledBack <= 1, "\(result)")
        if rate <= 1e-4 { #expect(result.promoted >= 99, "\(result)") }
    }
}
