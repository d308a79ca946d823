/// Under what the counters of an epoch were counted. If any of it changes, all counters start at 0: nothing is carried over
/// to another question.
public struct EpochKey: Sendable, Hashable, Codable {
    /// With its share or sample.
    public var stage: Stage
    /// Which build of the app: a version, or ``BuildIdentity``. In a fleet it is the same wherever that build runs.
    public var binary: String
    /// What is compared and how: a digest of comparators and tolerances.
    public var comparison: String
    /// What is foreseen: for each expected difference's id a digest of what it covers.
    public var expectations: [String: String]
    /// What is tolerated: p_max.
    public var margin: Double
    /// How long a unit's window lasts, in seconds.
    public var window: Int


    /// What the legacy side does before anything is moved: it depends on no build, and on nothing that is compared.
    package static let baseline = EpochKey(stage: .legacyOnly, window: 0)

    /// p_max where nothing else is said: 0.1 % of the units.
    public static let standardMargin = 0.001

    public init(
        stage: Stage,
        binary: String = "",
        comparison: String = "",
        expectations: [String: String] = [:],
        margin: Double = EpochKey.standardMargin,
        window: Int = 600
    ) {
        self.stage = stage
        self.binary = binary
        self.comparison = comparison
        self.expectations = expectations
        self.margin = margin
        self.window = window
    }

    /// The key in 16 hexadecimal digits, the same in every process and on every machine: two keys that differ have the same one in
    /// less than one of 10¹⁹ cases.
    public var digest: String {
        let expected = expectations.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let parts =
            [stage.rawValue, binary, comparison, margin.bitPattern.hexadecimal, "\(window)", "\(UpgradeState.currentCounting)"]
            + expected
        // Each with its length: no two keys make one text.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return (0..<2).map { Murmur3.hash(text.utf8, seed: $0).hexadecimal }.joined()
    }
}
