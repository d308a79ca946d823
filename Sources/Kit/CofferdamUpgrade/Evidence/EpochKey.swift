/// Under what the counters of an epoch were counted. If any of it changes, all counters start at 0: nothing is carried over
/// to another question.
public struct EpochKey: Sendable, Hashable, Codable {
    /// With its share or sample.
    public var stage: Stage
    /// Which build of the app: a version, a digest.
    public var binary: String
    /// What is compared and how: a digest of comparators and tolerances.
    public var comparison: String
    /// What is foreseen: for each expected difference's id a digest of what it covers.
    public var expectations: [String: String]
    /// What is tolerated: p_max.
    public var margin: Double

    public init(
        stage: Stage,
        binary: String = "",
        comparison: String = "",
        expectations: [String: String] = [:],
        margin: Double = GateSettings.defaults.limit
    ) {
        self.stage = stage
        self.binary = binary
        self.comparison = comparison
        self.expectations = expectations
        self.margin = margin
    }
}
