import CofferdamGate
import Testing
import UpgradeTestSupport

/// The units of a canary that are seen on each side, against the share that was ordered.
@Suite struct SampleRatioTests {
    /// The decision at a canary of 20 %.
    private static func decision(_ active: FailureCounts) throws -> Decision {
        let plan = try UpgradePlan([.legacyOnly, .canary(share: 2000), .candidateOnly], settings: GateSettings())
        return plan.gate(at: .canary(share: 2000)).decide(
            Readings.good(at: .canary(share: 2000)) { $0.metrics[.activeUnits] = active }
        )
    }

    private static func missing(_ decision: Decision) -> [String] {
        decision.reasons.filter { $0.code == .unexpectedShare }.map(\.description)
    }

    @Test func `the ordered share promotes`() throws {
        for candidate in [79_500, 80_000, 80_500] {
            let decision = try Self.decision(FailureCounts(candidate, of: 400_000))
            #expect(decision.verdict == .promote)
            #expect(Self.missing(decision) == [])
        }
    }

    @Test(arguments: [
        (
            FailureCounts(49_000, of: 441_000),
            "activeUnits: 49000 of 441000 units used the candidate, where a share of 0.2 was expected: about 49000 are missing on the candidate side"
        ),
        (
            FailureCounts(80_000, of: 240_000),
            "activeUnits: 80000 of 240000 units used the candidate, where a share of 0.2 was expected: about 160000 are missing on the legacy side"
        ),
    ]) func `units that are missing on one side hold the promotion, however good the others are`(
        _ active: FailureCounts,
        _ reason: String
    ) throws {
        let decision = try Self.decision(active)
        #expect(decision.verdict == .hold)
        #expect(Self.missing(decision) == [reason])
    }
}
