/// A report about a capability that a team's tool sends to a control plane, as the tool's `--json` prints it.
public struct TeamReport: Sendable, Hashable {
    /// The kind of a report. The raw value is its name in addresses and commands.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A run of the contract: `contracts --json`.
        case contracts
        /// A comparison of both sides: `drift --json`.
        case drift
    }

    /// The upgrade's name at the server.
    public var capability: String
    /// The kind of the report.
    public var kind: Kind
    /// JSON in UTF-8.
    public var json: [UInt8]

    /// Creates a value from its parts.
    package init(_ kind: Kind, of capability: String, json: [UInt8]) {
        (self.kind, self.capability, self.json) = (kind, capability, json)
    }
}

/// The record that a report was published: when, and by whom.
package struct Publication: Sendable, Hashable, Codable {
    /// Publishing again under the same id changes nothing.
    package var id: String
    package var kind: TeamReport.Kind
    /// In milliseconds since 1970.
    package var at: Int64
    /// The name of the token.
    package var by: String
    /// The digest of the report, in hexadecimal digits.
    package var sha256: String
    /// The length of the report, in bytes.
    package var size: Int

    package init(id: String, kind: TeamReport.Kind, at: Int64, by: String, sha256: String, size: Int) {
        (self.id, self.kind, self.at, self.by) = (id, kind, at, by)
        (self.sha256, self.size) = (sha256, size)
    }
}
