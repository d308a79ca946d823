/// How far an upgrade has come: which side answers. Grows by the stages in between.
public enum Stage: String, Sendable, Hashable, CaseIterable, Codable {
    /// The old side answers; the new one is never opened.
    case legacyOnly
    /// The new side answers; the old one is not opened.
    case candidateOnly

    /// The side whose answer the caller gets.
    public var side: Side {
        switch self {
        case .legacyOnly: .legacy
        case .candidateOnly: .candidate
        }
    }
}

/// One of the two adapters of a port.
public enum Side: String, Sendable, Hashable, CaseIterable, Codable {
    case legacy, candidate
}
