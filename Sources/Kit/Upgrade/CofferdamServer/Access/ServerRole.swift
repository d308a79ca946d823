#if Server
/// The role of a token: what its holder may do.
public enum ServerRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// Reads stages and posts evidence.
    case device
    /// Reads everything but the refused requests.
    case reader
    /// Reads, and changes upgrades.
    case `operator`
    /// Does what an operator does, and reads the refused requests.
    case admin

    /// The right that a request needs.
    enum Right: Sendable {
        case readStage, postEvidence, readStatus, change, readRefusals
    }

    func has(_ right: Right) -> Bool {
        switch right {
        case .readStage: true
        // A person's token cannot post evidence.
        case .postEvidence: self == .device
        case .readStatus: self != .device
        case .change: self == .operator || self == .admin
        case .readRefusals: self == .admin
        }
    }
}
#endif
