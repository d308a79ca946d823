#if Fleet
package import CofferdamUpgrade  // holds its EvidenceSnapshot

/// The counts of a fleet, and what is unknown about them.
package struct FleetEvidence: Sendable, Hashable {
    package var snapshot: EvidenceSnapshot
    /// Why something is missing, for people; empty if nothing is.
    package var gaps: [String]
    /// The key under which all instances count now, as ``EpochKey/digest``; nil if there is no such key or more than
    /// one.
    package var key: String?

    package init(snapshot: EvidenceSnapshot, gaps: [String], key: String? = nil) {
        self.snapshot = snapshot
        self.gaps = gaps
        self.key = key
    }
}
#endif
