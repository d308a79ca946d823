import Cofferdam
import CofferdamSupport
import CofferdamGate
import Testing

@testable import CofferdamSimulation

/// Operations with too few callers for a promotion to wait for: whole upgrades of a candidate with a single bad
/// operation.
///
/// The figures in the comments are from 400 runs each, in an optimised build, with the test that holds and without it.
/// The bounds leave room for chance: a mean of m in 100 runs, plus three standard deviations.
@Suite struct RareOperationTests {
    private static let runs = 100
    private static let standard = NamedPlan.standard.stages

    private func endings(
        _ faults: SimulatedWorld.Fault...,
        on stages: [Stage] = GateSimulation.defaultStages,
        operations: [SimulatedWorld.Operation] = SimulatedWorld.defaultOperations,
        legacy: Double = 5e-5
    ) throws -> GateSimulationReport.Scenario {
        let usual: [SimulatedWorld.Fault] = [
            .init(.failed, by: .candidate, rate: 1e-4), .init(.failed, by: .legacy, rate: legacy),
            .init(.slow, by: .candidate, rate: 0.002), .init(.slow, by: .legacy, rate: 0.002),
        ]
        let world = SimulatedWorld(operations, faults: usual.filter { $0.rate > 0 } + faults)
        let upgrade = SimulatedUpgrade(try UpgradePlan(stages), in: world)
        var result = GateSimulationReport.Scenario(expected: .notPromote)
        var random = SplitMix64(seed: 0)
        for _ in 0..<Self.runs { result.count(upgrade.run(&random).verdict) }
        return result
    }

    private static func operations(refundIsRead: Bool) -> [SimulatedWorld.Operation] {
        SimulatedWorld.defaultOperations.map { operation in
            var operation = operation
            if operation.name == "refund" { operation.isRead = refundIsRead }
            return operation
        }
    }

    /// 1 % of the units call it, and it fails for 2 % of them: 4 of 400 complete, and 68 without the test that holds;
    /// with a legacy side that never fails 6 and 70, and with a read 1 and 77.
    @Test(arguments: [(false, 0.0), (false, 5e-5), (true, 5e-5)])
    func `one that fails twice as often as it may arrives in 4 % of the runs at most`(
        isRead: Bool,
        legacy: Double
    ) throws {
        let result = try endings(
            .init(.failed, by: .candidate, of: "refund", rate: 0.02),
            operations: Self.operations(refundIsRead: isRead),
            legacy: legacy
        )
        #expect(result.promoted <= 4, "\(result)")
    }

    /// 9 of 400 complete over the standard plan's stages, and 175 without the test that holds.
    @Test func `it arrives no more often if fewer stages test it`() throws {
        let result = try endings(.init(.failed, by: .candidate, of: "refund", rate: 0.02), on: Self.standard)
        #expect(result.promoted <= 6, "\(result)")
    }

    @Test(arguments: [0.05, 0.3], [false, true]) func `one that fails more often does not arrive`(
        rate: Double,
        isRead: Bool
    ) throws {
        let result = try endings(
            .init(.failed, by: .candidate, of: "refund", rate: rate),
            operations: Self.operations(refundIsRead: isRead)
        )
        #expect(result.promoted == 0, "\(result)")
    }

    /// At exactly its limit 105 of 400 complete if 1 % of the units call it, and 280 without the test that holds: two
    /// failures among two hundred callers are weak evidence. If 2 % call it 2 complete, and 66.
    @Test(arguments: [("refund", 40), ("receipts", 4)]) func `one at its limit rarely arrives`(
        operation: String,
        most: Int
    ) throws {
        let result = try endings(.init(.failed, by: .candidate, of: operation, rate: 0.01))
        #expect(result.promoted <= most, "\(result)")
    }

    /// As often as a good operation may: 396 of 400 complete, and 2 are rolled back. Of 4,000 with slightly lower
    /// failure rates elsewhere 3,980, and 16.
    @Test func `one that fails for a tenth of its limit arrives`() throws {
        let result = try endings(.init(.failed, by: .candidate, of: "refund", rate: 0.001))
        #expect(result.promoted >= 97, "\(result)")
        #expect(result.rolledBack <= 2, "\(result)")
    }

    /// Both sides alike: 392 of 400 complete at 0.5 %, 381 at 1 %, and a person is asked about the others: two hundred
    /// callers of a baseline do not show the legacy side's failure rate. None is rolled back.
    @Test(arguments: [(0.002, 99), (0.005, 94), (0.01, 88)]) func `one that fails on both sides is not rolled back`(
        rate: Double,
        minimum: Int
    ) throws {
        let result = try endings(
            .init(.failed, by: .candidate, of: "refund", rate: rate),
            .init(.failed, by: .legacy, of: "refund", rate: rate)
        )
        #expect(result.rolledBack == 0, "\(result)")
        #expect(result.promoted >= minimum, "\(result)")
    }

    @Test(arguments: [0, 1e-4]) func `a good candidate arrives, however many operations are rare`(legacy: Double) throws
    {
        let rare = (0..<20).map { SimulatedWorld.Operation("rare \($0)", share: 0.01, isRead: $0.isMultiple(of: 2)) }
        let result = try endings(operations: SimulatedWorld.defaultOperations + rare, legacy: legacy)
        #expect(result.promoted >= 99, "\(result)")
    }
}
