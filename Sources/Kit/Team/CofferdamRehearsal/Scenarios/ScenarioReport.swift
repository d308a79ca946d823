import Cofferdam
package import CofferdamUpgrade  // the gate's decisions

/// The result of a scenario: how far the upgrade got, why, and what users lost.
public struct ScenarioReport: Sendable, Hashable {
    /// The scenario's name.
    public var scenario: String
    package var summary: String
    var seed: UInt64
    var limit: Double
    var mix: String
    /// The plan's numbers, as text.
    var plan: String
    /// The outcome; nil during the walk.
    public var outcome: ScenarioOutcome?
    /// The outcome that the scenario must have.
    public var expected: ScenarioOutcome
    /// The losses that are acceptable in this scenario.
    var tolerated: [Loss.Kind]
    /// The metric by which the gate had to decide; nil for any.
    var expectedMetric: Metric?
    /// The stages that the upgrade went through, in order.
    var stages: [StageRun] = []
    /// The traffic after the end of the upgrade.
    package var rest: StageRun?
    /// Every decision that changed something, with its inputs.
    package var decisions: [Decision] = []
    /// The simulated crashes of the app.
    package var crashes: [Crash] = []
    /// The audit log, oldest first.
    package var log: [AuditEntry] = []
    /// What users lost.
    public var lost = Loss()
    /// The number of visits and operations.
    var counts = VisitCounts()
    /// The number of operations in all visits.
    package var calls = 0
    /// The streams that were followed; nil without a feed.
    package var streams: Streams?
    package var seconds = 0.0

    init(_ scenario: Scenario, _ options: ScenarioOptions, plan: UpgradePlan) {
        self.scenario = scenario.name
        summary = scenario.summary
        seed = options.seed
        limit = options.limit
        mix = options.mix.description
        self.plan = plan.summary
        expected = scenario.expected.outcome
        tolerated = scenario.expected.losses.sorted { $0.rawValue < $1.rawValue }
        expectedMetric = scenario.expected.metric
    }

    /// A simulated crash of the app during calls of the candidate.
    package struct Crash: Sendable, Hashable, Codable {
        package var stage: Stage
        var seconds: Double
        /// The number of the candidate's calls in flight, as counted by the next process.
        package var calls: Int
    }

    /// The streams that were open during the walk, and moved between the sides with their units.
    package struct Streams: Sendable, Hashable, Codable {
        /// The number of streams.
        package var followed: Int
        /// The number of items that they delivered.
        package var items: Int
        /// The number of subscriptions to each side.
        package var subscriptions: [String: Int]
    }

    /// One stage, from the first call to the decision.
    package struct StageRun: Sendable, Hashable, Codable {
        /// The stage and its share of users.
        var stage: Stage
        var epoch: Int
        /// Visits that started.
        package var visits = 0
        /// Visits that ended, and their operations.
        var counts = VisitCounts()
        /// The gate's largest requirement for a faultless candidate; nil at a stage without a promotion.
        var needs: StageNeed?
        var startedAt: Double
        var endedAt: Double
        /// The gate's last verdict in this stage; empty while there is none.
        var verdict = ""
        /// The reason for the verdict.
        var why = ""
        /// The growth of the evidence.
        var points: [Point] = []
        package var latencies: [String: Latency] = [:]

        init(_ stage: Stage, epoch: Int, startedAt: Double) {
            self.stage = stage
            self.epoch = epoch
            self.startedAt = startedAt
            endedAt = startedAt
        }

        /// The evidence at one moment, as a fraction of the threshold: at 1 the test has reached it.
        struct Point: Sendable, Hashable, Codable {
            var seconds: Double
            var verdict: GateVerdict
            /// The weakest test for promotion.
            var promotion: Double
            /// The strongest test for a rollback.
            var rollback: Double
        }

        mutating func addPoint(of decision: Decision, at seconds: Double) {
            func parts(_ role: GateTest.Role) -> [Double] {
                decision.tests.filter { $0.role == role }.map { $0.weakest / $0.threshold }
            }
            guard !decision.tests.isEmpty else { return }
            points.append(
                Point(
                    seconds: seconds,
                    verdict: decision.verdict,
                    promotion: parts(.promote).min() ?? 0,
                    rollback: parts(.rollBack).max() ?? 0
                )
            )
            why = decision.why
        }

        mutating func setVerdict(of decision: Decision) {
            verdict = decision.verdict.words
            why = decision.why
        }

        mutating func end(at seconds: Double, _ latencies: [Side: Latency], _ counts: VisitCounts) {
            endedAt = seconds
            self.counts = counts
            self.latencies = Dictionary(uniqueKeysWithValues: latencies.map { ($0.key.rawValue, $0.value) })
            thin()
        }

        /// Keeps the first and last points, and enough of the others for a chart.
        private mutating func thin() {
            let step = points.count / Self.maxPoints + 1
            guard step > 1 else { return }
            points = points.indices.filter { $0.isMultiple(of: step) || $0 == points.count - 1 }.map { points[$0] }
        }

        private static let maxPoints = 120
    }
}

extension ScenarioReport {
    /// Whether the scenario ended as expected.
    public var isGreen: Bool { problems.isEmpty }

    /// Everything that did not go as expected.
    public var problems: [String] {
        var problems: [String] = []
        if outcome != expected {
            problems.append("expected \(expected.words), got \(outcome?.words ?? "no end")")
        }
        if let expectedMetric, outcome == expected,
            decisions.last?.reasons.contains(where: { $0.metric?.whole == expectedMetric }) != true
        {
            problems.append("the gate decided by \(decisions.last?.why ?? "nothing"), not by \(expectedMetric)")
        }
        for kind in Loss.Kind.allCases where lost[kind] > 0 && !tolerated.contains(kind) {
            problems.append("users lost \(lost[kind]) \(kind.words(lost[kind]))")
        }
        for decision in decisions { problems += decision.contradictions() }
        return problems
    }

    /// All stages, including the traffic after the end.
    var allRuns: [StageRun] { stages + (rest.map { [$0] } ?? []) }
}

extension ScenarioReport: Codable {}
