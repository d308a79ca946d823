import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Testing

@testable import CofferdamTool

/// Checks that a kill switch moves no user of a build with one side, and that everything that shows it says so.
struct ArmCommandTests {
    private let plain = TerminalStyle(isColoured: false)

    @Test func `A kill of builds with one side names those that the delivery must withdraw`() async throws {
        let bench = UpgradeBench()
        let plan = try UpgradePlan.named(.arms)
        let capability = UpgradeTooling.Capability("catalogue", plan: plan)
        for number in 1...2 {
            let request = UpgradeRequest(
                .advance(despiteGate: true),
                by: "amara",
                reason: "step",
                at: UpgradeBench.now,
                id: "\(number)"
            )
            _ = try await bench.store.carryOut(request, for: "catalogue", plan: plan)
        }
        let build = ArmCounts(
            build: "2.0",
            side: .candidate,
            units: FailureCounts(3, of: 10),
            settled: 10,
            crossed: 4
        )
        let reading = GateReading(stage: .arms, epoch: 2, metrics: [:], arms: [build])
        let snapshot = EvidenceSnapshot(
            capability: "catalogue",
            at: UpgradeBench.now,
            reading: reading,
            outcomes: OutcomeCounts()
        )
        await bench.evidence.append(snapshot)
        let before = try await bench.controls.status(of: [capability])
        #expect(before[0].arms == [build])
        #expect(before[0].releaseSteps == nil)

        let report = try await bench.controls.change([capability], .certain(.kill(.legacy)), by: "amara", reason: "bad")
        #expect(report.problems("tool").contains("no user has moved"))
        #expect(report.problems("tool").contains("(2.0)"))
        let status = try await bench.controls.status(of: [capability])
        let text = StatusTable(statuses: status).render(plain).replacing("\n  ", with: " ")
        #expect(text.contains("Withdraw the builds with V2 (2.0) from distribution"))
        #expect(text.contains("build 2.0, V2: 3 of 10 failed, 4 more came from other builds"))
        #expect(try await bench.controls.explain(capability).render(plain).contains("(2.0) from distribution"))
    }

    @Test(arguments: [true, false])
    func `A rollback names its builds, which have counted nothing since`(isByGate: Bool) async throws {
        let bench = UpgradeBench()
        let plan = try UpgradePlan.named(.arms)
        let capability = UpgradeTooling.Capability("catalogue", plan: plan)
        func carryOut(_ action: UpgradeAction, _ id: String, baseline: LegacyBaseline? = nil) async throws {
            let request = UpgradeRequest(
                action,
                by: "amara",
                reason: "step",
                at: UpgradeBench.now,
                id: id,
                baseline: baseline
            )
            _ = try await bench.store.carryOut(request, for: "catalogue", plan: plan)
        }
        let baseline = LegacyBaseline(units: FailureCounts(0, of: 20_000))
        try await carryOut(.advance(despiteGate: true), "1", baseline: baseline)
        try await carryOut(.advance(despiteGate: true), "2")
        let state = try #require(try await bench.store.read("catalogue")).state
        var metrics: [Metric: FailureCounts] = [
            .candidateFailures: FailureCounts(500, of: 1_000), .canaryFailures: FailureCounts(500, of: 500),
            .activeUnits: FailureCounts(1_000, of: 2_000),
        ]
        baseline.add(to: &metrics)
        let arms = [(Side.legacy, "1.4", 0), (.candidate, "2.0", 500)].map { side, build, failures in
            ArmCounts(build: build, side: side, units: FailureCounts(failures, of: 1_000), settled: 1_000)
        }
        let reading = GateReading(stage: .arms, epoch: state.epoch, metrics: metrics, arms: arms)
        await bench.evidence.append(
            EvidenceSnapshot(
                capability: "catalogue",
                at: UpgradeBench.now,
                reading: reading,
                outcomes: OutcomeCounts()
            )
        )
        let decision = plan.following(state).gate(at: .arms).decide(reading)
        try await carryOut(isByGate ? .retreat(decision) : .abort, "3")
        let status = try await bench.controls.status(of: [capability])
        #expect(status[0].stage == .legacyOnly)
        #expect(status[0].releaseSteps?.contains("the builds with V2 (2.0) from distribution") == true)
    }

    @Test func `The plan for builds is shown with its stages`() throws {
        let capability = UpgradeTooling.Capability("catalogue", plan: try UpgradePlan.named(.arms))
        let text = try PlanReport.reports([capability], attempt: 1)[0].render(plain, showsNumbers: true)
        #expect(text.contains("aa") && text.contains("firstFailures") && text.contains("arms"))
    }
}
