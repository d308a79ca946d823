public import Cofferdam  // operations, sides and differences

/// What a call said on both sides, or why it was not compared.
public struct ShadowComparison: Sendable, Hashable {
    public var capability: String
    public var operation: String
    public var stage: Stage
    public var epoch: Int
    public var unit: String?
    public var outcome: ComparisonOutcome
    /// Where the two differ: of a mismatch, of what was expected, and of noise.
    public var differences: [Difference]
    /// The id of the expected difference, if all that differs was expected: of the one that may come least often.
    public var expectation: String?
    /// How long each side took; nil for one that did not end.
    public var durations: [Side: Duration]

    /// As a route tells it; for those who test an observer of their own.
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
