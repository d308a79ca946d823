import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Testing

@testable import CofferdamTool

struct UpgradeExplainTests {
    private let plain = TerminalStyle(isColoured: false)

    @Test func `The gate's current verdict is computed from the newest evidence`() async throws {
        let bench = try await counted(of: 20_000)
        let report = try await bench.controls.explain(bench.capabilities[0])
        #expect(report.decision?.verdict == .promote)
        #expect(report.render(plain).contains("shadow(10000), epoch 1: promote"))
    }

    @Test func `A promotion that the gate forbids is refused with an explanation, and is not logged`() async throws {
        let bench = try await counted(of: 100)
        let report = try await bench.controls.change(bench.capabilities, .promote, by: "amara", reason: "hope")
        #expect(report.changes == [])
        #expect(report.refused.map(\.rule) == ["otherVerdict"])
        let text = report.problems("tool")
        #expect(text.hasPrefix("tool: catalogue: the gate says hold, not promote (otherVerdict)\n"))
        #expect(text.contains("comparison: 0 of 100"))
        #expect(try await bench.store.history(of: "catalogue", last: 9).count == 1)
    }

    @Test func `A record is checked against its own numbers`() async throws {
        let bench = try await counted(of: 20_000)
        _ = try await bench.controls.change(bench.capabilities, .promote, by: "amara", reason: "the gate says so")
        let entry = try #require(try await bench.store.history(of: "catalogue", last: 1).first)
        let honest = DecisionReport(entry, plan: UpgradeBench.plan)
        #expect(honest.contradictions == [])
        #expect(honest.matchesCurrentPlan)
        #expect(honest.render(plain).contains("the record follows from its own numbers"))

        var decision = try #require(entry.request.action.decision)
        decision.reading.metrics[.comparison] = FailureCounts(30, of: 20_000)
        decision.reading.metrics[.mismatches.includingOpenWindows] = FailureCounts(30, of: 20_000)
        var forged = entry
        forged.request.action = .promote(decision)
        let report = DecisionReport(forged, plan: UpgradeBench.plan)
        #expect(report.contradictions.first == "the verdict is promote, computed rollBack")
        #expect(report.render(plain).contains("the record contradicts itself"))

        forged = entry
        forged.before.epoch = 7
        forged.request.action = .retreat(try #require(entry.request.action.decision))
        #expect(
            DecisionReport(forged, plan: UpgradeBench.plan).contradictions == [
                "retreat needs rollBack, but the gate said promote",
                "decided at shadow(10000), epoch 1; it was shadow(10000), epoch 7",
            ]
        )
    }

    @Test func `A gate of another plan is reported, and is not a contradiction`() async throws {
        let bench = try await counted(of: 20_000)
        _ = try await bench.controls.change(bench.capabilities, .promote, by: "amara", reason: "the gate says so")
        let entry = try #require(try await bench.store.history(of: "catalogue", last: 1).first)
        let other = try UpgradePlan(UpgradeBench.stages, settings: .defaults { $0.limit = 0.002 })
        let report = DecisionReport(entry, plan: other)
        #expect(report.contradictions == [] && !report.matchesCurrentPlan)
        #expect(report.render(plain).contains("Today's plan has another gate at this stage."))
    }

    @Test func `An entry is found by the beginning of its id`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .canary(share: 500))
        let controls = bench.controls
        #expect(
            try await controls.explain("catalogue-2", among: bench.capabilities).map(\.entry?.id) == ["catalogue-2"]
        )
        #expect(try await controls.explain("catalogue", among: bench.capabilities).count == 2)
        #expect(try await controls.explain("orders", among: bench.capabilities).count == 0)
        let person = try #require(try await controls.explain("catalogue-1", among: bench.capabilities).first)
        #expect(person.decision == nil)
        #expect(person.explanation == "No gate was asked: amara decided, because: step 1")
    }

    private func counted(of units: Int) async throws -> UpgradeBench {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        await bench.count(0, of: units)
        return bench
    }
}
