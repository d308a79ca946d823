/// The counts that a gate reads at one moment: integers that can be recomputed.
public struct GateReading: Sendable, Hashable, Codable {
    /// The stage that was counted.
    public var stage: Stage
    /// The epoch that was counted.
    package var epoch: Int
    /// The age of the epoch.
    public var seconds: Int
    /// The recorded metrics. An absent metric is missing, which is not the same as zero.
    public var metrics: [Metric: FailureCounts]
    /// The history of the breaker of the candidate in this epoch; nil if unknown.
    package var breaker: BreakerHistory?
    /// Whether a unit counts once across restarts; nil in older records.
    package var isKept: Bool?
    /// True if some of what was counted is missing. What is there is enough to go back on, but not to promote.
    package var isIncomplete: Bool?
    /// The metrics of the installations that count for a promotion; nil if ``metrics`` are of those.
    package var promoting: [Metric: FailureCounts]?
    /// How many units each kind of installation reported; nil if the evidence does not come from installations.
    package var installations: InstallationCounts?
    /// What each build counted, if no process holds both sides; nil otherwise.
    package var arms: [ArmCounts]?
    /// What visits met in the last hours, the oldest first, for the alarm; nil in older records, and where only
    /// comparisons decide.
    package var hours: [VisitCounts]?

    /// Creates a value from its parts.
    package init(
        stage: Stage,
        epoch: Int = 1,
        seconds: Int = 0,
        metrics: [Metric: FailureCounts],
        breaker: BreakerHistory? = nil,
        isKept: Bool? = nil,
        arms: [ArmCounts]? = nil
    ) {
        self.stage = stage
        self.epoch = epoch
        self.seconds = seconds
        self.metrics = metrics
        self.breaker = breaker
        self.isKept = isKept
        self.arms = arms
    }
}

extension [Metric: FailureCounts] {
    /// Counts each kind of answer among all units of the candidate, after counts were added up: a process that never
    /// met a kind has no counts for it, so its units are missing from the sum.
    package mutating func completeAnswers() {
        guard let active = self[.activeUnits]?.failures else { return }
        for (metric, counts) in self where metric.isCandidateAnswer {
            self[metric] = FailureCounts(counts.failures, of: Swift.max(counts.total, active))
        }
    }
}
