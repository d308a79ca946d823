package import CofferdamUpgrade  // holds its EvidenceSnapshot

/// What a fleet has counted, and what of it is not known.
package struct FleetEvidence: Sendable, Hashable {
    package var snapshot: EvidenceSnapshot
    /// Why something is missing, for people; empty if nothing is.
    package var gaps: [String]
    /// The key under which all instances count now, as ``EpochKey/digest``; nil if there is none or several.
    package var key: String?

    package init(snapshot: EvidenceSnapshot, gaps: [String], key: String? = nil) {
        self.snapshot = snapshot
        self.gaps = gaps
        self.key = key
    }
}
