import Testing

@testable import CofferdamGate

@Suite struct NamedPlanTests {
    @Test(arguments: NamedPlan.allCases) func `every named plan is valid`(name: NamedPlan) throws {
        let plan = try UpgradePlan.named(name)
        #expect(plan.stages.first == .legacyOnly)
        #expect(plan.stages.last == .candidateOnly)
        #expect(plan.settings.limit == (name == .small ? 0.01 : 0.001))
        #expect(try name.plan(attempt: 2).alpha < plan.alpha)
    }

    @Test func `days are counted by the units that each gate sees`() throws {
        let plan = try UpgradePlan([.legacyOnly, .shadow(sample: 5000), .canary(share: 500), .candidateOnly])
        let clean = try #require(plan.cleanUnits(toLeave: .canary(share: 500)))
        let duration = PlanDuration(plan, dailyUsers: 10_000)
        #expect(duration.stages.map(\.stage) == Array(plan.stages.dropLast()))
        #expect(duration.stages.map(\.units) == [10_000, clean, clean])
        #expect(duration.stages.map(\.share) == [1, 0.5, 0.05])
        let days = [1, Double(clean) / 5_000, Double(clean) / 500]
        for (stage, expected) in zip(duration.stages, days) { #expect(abs(stage.days - expected) < 1e-9) }
        #expect(abs(duration.days - days.reduce(0, +)) < 1e-9)
        #expect(duration.canEnd)
    }

    @Test func `a plan that cannot end says so before it begins`() throws {
        let plan = try UpgradePlan([.legacyOnly, .shadow(sample: .all), .canary(share: 500), .candidateOnly])
        let slow = PlanDuration(plan, dailyUsers: 1_000)
        #expect(!slow.canEnd)
        #expect(slow.problems.count == 2)
        #expect(slow.problems[0].hasPrefix("canary(500) needs"))
        #expect(slow.problems[1].contains("more than 90"))
        #expect(PlanDuration(plan, dailyUsers: 0).dailyUsers == 1)
        #expect(PlanDuration(try .named(.small), dailyUsers: 200).canEnd)
        #expect(!PlanDuration(try .named(.standard), dailyUsers: 200).canEnd)
    }
}
