import Cofferdam

/// Identifies what the counters of an epoch measure. If any part changes, all counters start at 0, because results
/// for another question do not carry over.
public struct EpochKey: Sendable, Hashable, Codable {
    /// The stage, with its share or sample.
    package var stage: Stage
    /// The build of the app: a version, or `BuildIdentity`. In a fleet it is the same wherever that build runs.
    var binary: String
    /// A digest of the comparators and tolerances.
    var comparison: String
    /// A digest of each expected difference, by its id.
    package var expectations: [String: String]
    /// The tolerated failure rate, p_max.
    var margin: Double
    /// The length of the window of a unit, in seconds.
    package var window: Int
    /// See `UpgradeState.beginning`; nil at `legacyOnly`, and at a server, whose state and evidence are one file.
    package var beginning: String?
    /// At a server: the installations of which it counts reports; nil for all.
    package var installations: CountedInstallations?

    /// The counting rules of this version. Version 1 counted a unit by its first calls; version 2 counts it by windows.
    package static let currentCounting = 2

    /// The key of the baseline, which depends on no build and no comparison.
    package static let baseline = EpochKey(stage: .legacyOnly, window: 0)

    /// The default p_max: 0.1 % of the units.
    public static let standardMargin = 0.001

    /// Creates a value from its parts.
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

    /// The key as 16 hexadecimal digits, the same in every process and on every machine. Two different keys share a
    /// digest in fewer than one of 10¹⁹ cases.
    package var digest: String {
        let expected = expectations.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let parts =
            [
                stage.rawValue, binary, comparison, margin.bitPattern.hexadecimal, "\(window)",
                "\(Self.currentCounting)",
            ]
            + expected + (installations.map { [$0.rawValue] } ?? []) + (beginning.map { ["beginning", $0] } ?? [])
        // Each part with its length, so that no two keys give the same text.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return (0..<2).map { Murmur3.hash(text.utf8, seed: $0).hexadecimal }.joined()
    }
}

extension EpochKey {
    /// The build to which the key belongs; nil in a process with both sides, and at `legacyOnly`.
    package var arm: Arm? { Side(rawValue: comparison).map { Arm($0, build: binary) } }
}

extension Arm {
    /// Returns the key under which this build counts, for the recorder.
    @Sendable public func key(of stage: Stage) -> EpochKey {
        EpochKey(stage: stage, binary: build, comparison: side.rawValue)
    }
}
