import Cofferdam
public import CofferdamUpgrade  // a report holds the gate's decisions

/// What came of a scenario: how far the upgrade came, why, and what users lost.
public struct ScenarioReport: Sendable, Hashable {
    public var scenario: String
    public var summary: String
    public var seed: UInt64
    public var limit: Double
    public var mix: String
    /// The plan's numbers, for people.
    public var plan: String
    /// Nil while it is walked.
    public var outcome: ScenarioOutcome?
    public var expected: ScenarioOutcome
    /// What users may lose in this scenario.
    public var tolerated: [Loss.Kind]
    /// Which metric the gate must have gone by.
    public var expectedMetric: Metric?
    public var stages: [StageRun] = []
    /// After the end: what users then got.
    public var rest: StageRun?
    /// Each that changed something, with all that it was made from.
    public var decisions: [Decision] = []
    /// Where the app ended in the middle of calls.
    public var crashes: [Crash] = []
    /// The audit log, the oldest first.
    public var log: [AuditEntry] = []
    public var lost = Loss()
    /// How users came by.
    public var counts = VisitCounts()
    /// How often they did something, in all visits.
    public var calls = 0
    /// What was followed meanwhile; nil where there was nothing to follow.
    public var streams: Streams?
    public var seconds = 0.0

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

    /// A process of the app that ended while the new side was called.
    public struct Crash: Sendable, Hashable, Codable {
        public var stage: Stage
        public var seconds: Double
        /// How many calls of the new side were under way, as the next process found them counted.
        public var calls: Int
    }

    /// Streams that were open while others came by, and went from side to side with their units.
    public struct Streams: Sendable, Hashable, Codable {
        /// How many there were.
        public var followed: Int
        /// How many items they told.
        public var items: Int
        /// How often they were subscribed, by sides.
        public var subscriptions: [String: Int]
    }

    /// One stage, from the first call to the decision.
    public struct StageRun: Sendable, Hashable, Codable {
        public var stage: Stage
        public var epoch: Int
        /// Visits that began.
        public var visits = 0
        /// Those that ended, and what was done in them.
        public var counts = VisitCounts()
        /// What the gate asks most of, where nothing fails; nil where none promotes.
        public var needs: StageNeed?
        public var startedAt: Double
        public var endedAt: Double
        public var verdict = ""
        /// For people.
        public var why = ""
        /// How the evidence grew.
        public var points: [Point] = []
        public var latencies: [String: Latency] = [:]

        init(_ stage: Stage, epoch: Int, startedAt: Double) {
            self.stage = stage
            self.epoch = epoch
            self.startedAt = startedAt
            endedAt = startedAt
        }

        /// What the gate saw at one moment. Evidence is shown as a part of what is needed: at 1 the test is reached.
        public struct Point: Sendable, Hashable, Codable {
            public var seconds: Double
            public var verdict: GateVerdict
            /// Of the promotion's weakest test.
            public var promotion: Double
            /// Of the strongest test for a rollback.
            public var rollback: Double
        }

        mutating func saw(_ decision: Decision, at seconds: Double) {
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

        mutating func decided(_ decision: Decision) {
            verdict = decision.verdict.words
            why = decision.why
        }

        mutating func end(at seconds: Double, _ latencies: [Side: Latency], _ counts: VisitCounts) {
            endedAt = seconds
            self.counts = counts
            self.latencies = Dictionary(uniqueKeysWithValues: latencies.map { ($0.key.rawValue, $0.value) })
            thin()
        }

        /// Keeps the first and the last ones, and some between: enough to be drawn.
        private mutating func thin() {
            let step = points.count / Self.mostPoints + 1
            guard step > 1 else { return }
            points = points.indices.filter { $0.isMultiple(of: step) || $0 == points.count - 1 }.map { points[$0] }
        }

        private static let mostPoints = 120
    }
}

extension ScenarioReport {
    /// Whether what came is what must come.
    public var isGreen: Bool { problems.isEmpty }

    /// Where it is not.
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

    /// All stages that users saw.
    var allRuns: [StageRun] { stages + (rest.map { [$0] } ?? []) }
}

extension ScenarioReport: Codable {}
