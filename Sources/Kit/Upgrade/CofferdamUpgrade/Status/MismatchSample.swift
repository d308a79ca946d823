/// A mismatch that a device reported, as the comparator shows it; for a redacted field, only that it differs.
package struct MismatchSample: Sendable, Hashable, Codable {
    package var operation: String
    /// "lines[1].quantity".
    package var path: String
    /// The legacy value as text; nil if there is none.
    package var legacy: String?
    /// The candidate's value as text; nil if there is none.
    package var candidate: String?
    /// When the server first got it, RFC 3339.
    package var at: String

    package init(sample: EvidenceReport.Sample, at: String) {
        (operation, path, legacy, candidate) = (sample.operation, sample.path, sample.legacy, sample.candidate)
        self.at = at
    }
}
