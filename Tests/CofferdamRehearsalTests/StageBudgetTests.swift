import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal

@Suite(.timeLimit(.minutes(2)))
struct StageBudgetTests {
    static let limits = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5]
    static let ways: [[Stage]] = [
        ScenarioOptions().stages,
        [
            .legacyOnly, .shadow(sample: 500), .canary(share: 50), .canary(share: 9_999), .canary(share: .all),
            .candidateOnly,
        ],
        [.legacyOnly, .shadow(sample: .all), .candidateShadowed(sample: 100), .candidateOnly],
    ]

    private static func plan(_ stages: [Stage], limit: Double, baseline: Int = 1) throws -> UpgradePlan {
        try UpgradePlan(
            stages,
            settings: .defaults {
                $0.limit = limit
                $0.shortestSeconds = 0
                $0.minimumBaselineCalls = baseline
                $0.uncountedLimit = 0.4
                $0.horizon = max(50_000, Int(50 / limit))
                $0.expectedRates = ["some": 0.3]
            }
        )
    }

    @Test(arguments: limits, ways)
    func `a faultless candidate is promoted by the visits of each stage`(
        _ limit: Double,
        _ stages: [Stage]
    ) throws {
        let plan = try Self.plan(stages, limit: limit)
        let baseline = try StageBudget(at: .legacyOnly, of: plan, compared: 0.9).maxVisits
        for stage in stages.dropFirst().dropLast() {
            let budget = try StageBudget(at: stage, of: plan, compared: 0.9)
            let reading = Self.faultless(at: stage, visits: budget.maxVisits, of: baseline)
            let decision = plan.gate(at: stage).decide(reading)
            #expect(decision.verdict == .promote, "\(stage): \(decision.reasons)")
        }
    }

    /// A reading without failures, in which four of ten comparisons are inconclusive, three of them as expected.
    private static func faultless(at stage: Stage, visits: Int, of baseline: Int) -> GateReading {
        let (called, sampled) =
            switch stage {
            case .canary(let share): (share.fraction, share == .all ? 0 : 1 - share.fraction)
            case .shadow(let share), .candidateShadowed(let share): (1.0, share.fraction)
            default: (1.0, 0.0)
            }
        let calls = Int(Double(visits) * called)
        let compared = Int(Double(visits) * sampled * 0.9)
        let counted = Int(Double(compared) * 0.6)
        return GateReading(
            stage: stage,
            epoch: 1,
            seconds: 60,
            metrics: [
                .comparison: FailureCounts(0, of: counted),
                .noise: FailureCounts(0, of: counted),
                .uncounted: FailureCounts(compared * 4 / 10, of: compared),
                .expected("some"): FailureCounts(compared * 3 / 10, of: compared),
                .pairedFailures: .none, .canaryFailures: .none,
                .candidateFailures: FailureCounts(0, of: calls),
                .activeUnits: FailureCounts(calls, of: visits),
                .canarySlow: .none, .canaryGaveUp: .none, .canaryUnseen: .none, .pairedSlow: .none,
                Metric.comparison.includingOpenWindows: FailureCounts(0, of: counted),
                Metric.mismatches.includingOpenWindows: FailureCounts(0, of: counted),
                Metric.candidateFailures.includingOpenWindows: FailureCounts(0, of: calls),
                .legacyFailures: FailureCounts(0, of: baseline),
            ],
            breaker: BreakerHistory(),
            isKept: true
        )
    }

    @Test(arguments: limits)
    func `the need is the one that takes longest: few clean units do not show that there is no noise`(
        _ limit: Double
    ) throws {
        let plan = try Self.plan(ScenarioOptions().stages, limit: limit)
        let clean = try #require(plan.cleanUnits(toLeave: .shadow(sample: .all)))
        let need = clean > 459 ? "\(clean) for comparison" : "459 for noise"
        #expect(try StageBudget(at: .shadow(sample: .all), of: plan, compared: 1).need?.description == need)
    }

    @Test(arguments: [(1, 8), (8, 8), (300, 300), (10_000, 10_000)])
    func `the old side is watched for as long as the plan requires, and until a worse candidate can be told apart`(
        _ wanted: Int,
        _ watched: Int
    ) throws {
        let plan = try Self.plan(ScenarioOptions().stages, limit: 0.1, baseline: wanted)
        let budget = try StageBudget(at: .legacyOnly, of: plan, compared: 1)
        #expect(budget.need == StageNeed(units: watched, metric: .legacyFailures))
        // Some units are left over.
        #expect(budget.maxVisits == (watched * 11 + 9) / 10)
    }

    @Test func `an operation with few callers takes proportionally more visits`() throws {
        let stage = Stage.candidateWithFallback
        func maxVisits(_ callers: Int) throws -> Int {
            let baseline = LegacyBaseline(
                units: FailureCounts(0, of: 10_000),
                operations: ["rare": .init(units: FailureCounts(0, of: callers), slowNanoseconds: 1)]
            )
            let plan = try Self.plan(ScenarioOptions().stages, limit: 0.01)
                .attempt(1, against: baseline)
            return try StageBudget(at: stage, of: plan, compared: 1).maxVisits
        }
        #expect(try maxVisits(10_000) < maxVisits(100))
    }

    @Test func `a mix without anything to compare is an error at the stage that compares`() throws {
        let plan = try Self.plan(ScenarioOptions().stages, limit: 0.1)
        #expect(throws: TrafficProblem.self) { try StageBudget(at: .shadow(sample: .all), of: plan, compared: 0) }
        #expect(throws: TrafficProblem.self) { try StageBudget(at: .canary(share: 2_000), of: plan, compared: 0) }
        #expect(try StageBudget(at: .candidateWithFallback, of: plan, compared: 0).maxVisits > 0)
    }

    @Test(arguments: [(0.2, 1_000), (0.1, 300), (0.5, 1)])
    func `a good candidate arrives at any limit, after any baseline`(
        _ limit: Double,
        _ baseline: Int
    ) async throws {
        var options = ToyUpgrade.options
        options.limit = limit
        options.baseline = baseline
        let report = try await ToyUpgrade.walk(.good, ToyUpgrade.make(), options)
        #expect(report.problems.isEmpty, "\(report.stages.map(\.why))")
        let slow = try await ToyUpgrade.walk(.slow, ToyUpgrade.make(), options)
        #expect(slow.problems.isEmpty, "\(slow.stages.map(\.why))")
    }
}
