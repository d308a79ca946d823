import CofferdamGate
import Foundation
import Testing
import UpgradeTestSupport

/// Checks the effect of an operation that no promotion waits for: 200 of 20,000 units called it.
@Suite struct HeldOperationTests {
    private func decision(
        at stage: Stage,
        isRead: Bool,
        legacyFailures: Int,
        _ change: (inout [Metric: FailureCounts]) -> Void
    ) throws -> Decision {
        let refund = LegacyBaseline.Operation(
            units: FailureCounts(legacyFailures, of: 200),
            isRead: isRead,
            slowNanoseconds: 1
        )
        let baseline = LegacyBaseline(units: FailureCounts(0, of: 20_000), operations: ["refund": refund])
        let plan = try Readings.plan().attempt(1, against: baseline)
        #expect(plan.operations.map(\.judgement) == [.rollbackOnly])
        let reading = Readings.good(at: stage) { reading in
            baseline.add(to: &reading.metrics)
            change(&reading.metrics)
        }
        let decision = plan.gate(at: stage).decide(reading)
        let read = try JSONDecoder().decode(Decision.self, from: JSONEncoder().encode(decision))
        #expect(read == decision)
        #expect(read.recomputed() == decision)
        #expect(read.contradictions() == [])
        return decision
    }

    private static let failures: [(legacy: Int, failures: Int, callers: Int, verdict: GateVerdict)] = [
        (0, 0, 200, .promote), (0, 2, 200, .promote), (0, 3, 200, .hold), (0, 4, 200, .hold),
        // With more callers, the same failures are weaker evidence.
        (0, 3, 255, .hold), (0, 3, 260, .promote),
        // The legacy side failed for just as many.
        (4, 4, 200, .promote),
    ]

    @Test(
        arguments: [Stage.canary(share: .all), .candidateWithFallback, .candidateShadowed(sample: 1000)],
        failures
    )
    func `it holds where it fails for too many of its callers`(
        stage: Stage,
        row: (legacy: Int, failures: Int, callers: Int, verdict: GateVerdict)
    ) throws {
        let metric = Metric.candidateFailures.of("refund").includingOpenWindows
        let decision = try decision(at: stage, isRead: false, legacyFailures: row.legacy) {
            $0[metric] = FailureCounts(row.failures, of: row.callers)
        }
        #expect(decision.verdict == row.verdict, "\(decision.explanation)")
        guard row.verdict == .hold else { return }
        #expect(decision.reasons.map(\.code) == [.vetoed])
        #expect(decision.reasons.map(\.metric) == [metric])
    }

    /// A read is judged by the shadow's pairs.
    @Test(arguments: [Stage.shadow(sample: .all), .candidateShadowed(sample: 1000)], [2, 3])
    func `a read holds the shadow`(stage: Stage, failures: Int) throws {
        let decision = try decision(at: stage, isRead: true, legacyFailures: 0) {
            $0[Metric.comparison.of("refund").includingOpenWindows] = FailureCounts(failures, of: 200)
            $0[Metric.candidateFailures.of("refund").includingOpenWindows] = FailureCounts(0, of: 200)
        }
        #expect(decision.verdict == (failures == 3 ? .hold : .promote), "\(decision.explanation)")
    }

    /// The failures among 200 callers in the canary, and among 3,800 outside it.
    @Test(arguments: [(1, 0, GateVerdict.promote), (2, 0, .hold), (2, 30, .promote), (3, 0, .hold), (6, 0, .rollBack)])
    func `in a canary it is compared with the other arm`(here: Int, there: Int, verdict: GateVerdict) throws {
        let decision = try decision(at: .canary(share: 500), isRead: false, legacyFailures: 0) {
            $0[.canaryFailures.of("refund")] = FailureCounts(here, of: here + there)
            $0[.activeUnits.of("refund")] = FailureCounts(200, of: 4_000)
        }
        #expect(decision.verdict == verdict, "\(decision.explanation)")
    }

    /// Of 200 units it is no surprise that none calls it, of 20,000 it is.
    @Test(arguments: Readings.stages, [200, 20_000])
    func `it holds while none of so many units calls it that some should`(stage: Stage, units: Int) throws {
        let decision = try decision(at: stage, isRead: true, legacyFailures: 0) {
            $0[.activeUnits] = FailureCounts(units, of: 20 * units)
        }
        let answers = stage != .legacyOnly && stage != .shadow(sample: .all)
        let isHeld = stage == .legacyOnly || stage == .candidateOnly || answers && units == 20_000
        #expect(decision.verdict == (isHeld ? .hold : .promote), "\(decision.explanation)")
        #expect(decision.reasons.contains { $0.code == .uncalledOperation } == (answers && units == 20_000))
        #expect(!decision.reasons.contains { $0.code == .vetoed || $0.code == .missing })
    }
}
