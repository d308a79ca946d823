/// What the gate reads at one moment: whole numbers, and nothing that could not be counted again.
public struct GateReading: Sendable, Hashable, Codable {
    public var stage: Stage
    public var epoch: Int
    /// For how long the epoch lasts.
    public var seconds: Int
    /// What somebody wrote. A metric that is not there is missing, which is not zero.
    public var metrics: [Metric: FailureCounts]
    /// The candidate's breaker in this epoch; nil if nobody knows.
    public var breaker: BreakerHistory?
    /// Whether a unit counts once, whatever is restarted; nil in a record of before this was told.
    public var isKept: Bool?

    public init(
        stage: Stage,
        epoch: Int = 1,
        seconds: Int = 0,
        metrics: [Metric: FailureCounts],
        breaker: BreakerHistory? = nil,
        isKept: Bool? = nil
    ) {
        self.stage = stage
        self.epoch = epoch
        self.seconds = seconds
        self.metrics = metrics
        self.breaker = breaker
        self.isKept = isKept
    }
}
