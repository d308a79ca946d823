public import Cofferdam  // operations, sides and differences

/// The comparison of both answers to a call, or the reason why there was none.
public struct ShadowComparison: Sendable, Hashable {
    /// The name of the capability.
    public var capability: String
    /// The name of the operation.
    public var operation: String
    /// The stage.
    public var stage: Stage
    /// The epoch.
    package var epoch: Int
    /// The unit; nil if there is none.
    public var unit: String?
    /// The outcome.
    public var outcome: ComparisonOutcome
    /// The differences: of a mismatch, of an expected difference, or noise.
    public var differences: [Difference]
    /// The id of the expected difference with the lowest rate, if all differences were expected; nil otherwise.
    public var expectation: String?
    /// The time that each side took; empty if the other side was not asked.
    public var durations: [Side: Duration]

    /// Creates a value as a route does, to test an observer.
    public init(
        capability: String,
        operation: String,
        stage: Stage,
        epoch: Int,
        unit: String?,
        outcome: ComparisonOutcome,
        differences: [Difference] = [],
        expectation: String? = nil,
        durations: [Side: Duration] = [:]
    ) {
        self.capability = capability
        self.operation = operation
        self.stage = stage
        self.epoch = epoch
        self.unit = unit
        self.outcome = outcome
        self.differences = differences
        self.expectation = expectation
        self.durations = durations
    }
}
