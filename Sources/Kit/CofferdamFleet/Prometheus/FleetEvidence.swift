public import CofferdamUpgrade  // holds its EvidenceSnapshot

/// What a fleet has counted, and what of it is not known.
public struct FleetEvidence: Sendable, Hashable {
    public var snapshot: EvidenceSnapshot
    /// Why something is missing, for people; empty if nothing is.
    public var gaps: [String]
    /// Under which key all count who count now, as ``EpochKey/digest``; nil if nobody does, or there are several.
    public var key: String?

    public init(snapshot: EvidenceSnapshot, gaps: [String], key: String? = nil) {
        self.snapshot = snapshot
        self.gaps = gaps
        self.key = key
    }
}
