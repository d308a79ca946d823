import Cofferdam
import CofferdamUpgrade
import Testing

@testable import CofferdamTool

/// A kill switch moves no user of a build with one side, and everything that shows it says so.
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
        #expect(before[0].delivery == nil)

        let report = try await bench.controls.change([capability], .certain(.kill(.legacy)), by: "amara", reason: "bad")
        #expect(report.problems("tool").contains("no user has moved"))
        let status = try await bench.controls.status(of: [capability])
        let text = StatusTable(statuses: status).render(plain)
        #expect(text.contains("Withdraw the builds of the candidate side (2.0) from the delivery"))
        #expect(text.contains("build 2.0, candidate: 3 of 10 failed, 4 more came from other builds"))
        #expect(try await bench.controls.explain(capability).render(plain).contains("(2.0) from the delivery"))
    }

    @Test func `The plan for builds is shown with its stages`() throws {
        let capability = UpgradeTooling.Capability("catalogue", plan: try UpgradePlan.named(.arms))
        let text = try PlanReport.reports([capability], attempt: 1)[0].render(plain)
        #expect(text.contains("aa") && text.contains("firstFailures") && text.contains("arms"))
    }
}
