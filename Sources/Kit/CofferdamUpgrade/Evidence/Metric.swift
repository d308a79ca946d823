/// The name of a pair of counters: how many of how many. An app may add its own.
public struct Metric: RawRepresentable, Sendable, Hashable, Codable, CodingKeyRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ name: String) { rawValue = name }

    /// k of n: units in which the two sides do not say the same.
    public static let comparison = Metric("comparison")
    /// Sampled units that say nothing about the candidate, without those of expected differences.
    public static let uncounted = Metric("uncounted")
    /// Compared units in which the legacy side disagreed with itself.
    public static let noise = Metric("noise")
    /// Units in which the candidate failed alone, of those in which one side did.
    public static let pairedFailures = Metric("pairedFailures")
    /// The candidate's units that failed.
    public static let candidateFailures = Metric("candidateFailures")
    /// The canary's units that failed, of all that failed on their own side.
    public static let canaryFailures = Metric("canaryFailures")
    /// The canary's units, of all.
    public static let activeUnits = Metric("activeUnits")
    /// The candidate's units that were slow.
    public static let slow = Metric("slow")
    /// The legacy side's calls that were slow, before the epoch.
    public static let legacySlow = Metric("legacySlow")
    /// The legacy side's units that failed, before the epoch.
    public static let legacyFailures = Metric("legacyFailures")
    /// Units in which the sides differ as an expected difference says.
    public static func expected(_ id: String) -> Metric { Metric(expectedPrefix + id) }

    var isExpected: Bool { rawValue.hasPrefix(Self.expectedPrefix) }

    private static let expectedPrefix = "expected."

    /// Those that ``EpochEvidence`` writes by itself.
    public static let written: Set<Metric> = [
        .comparison, .uncounted, .noise, .pairedFailures, .candidateFailures, .canaryFailures, .activeUnits, .slow,
        .legacySlow, .legacyFailures,
    ]
}

extension Metric: CustomStringConvertible {
    public var description: String { rawValue }
}
