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
