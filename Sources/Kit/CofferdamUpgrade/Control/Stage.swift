public import Cofferdam  // operations, sides and differences

/// How far an upgrade has come: which side answers, and who watches.
public enum Stage: Sendable, Hashable {
    /// The old side answers; the new one is not opened, but for named units: see ``NamedUnits``.
    case legacyOnly
    /// The old side answers; a sample of the calls goes to the new one too, off the caller's path, and is compared.
    case shadow(sample: Share)
    /// The new side answers that share of the units, with the old one to fall back on; the old one answers the others.
    case canary(share: Share)
    /// The new side answers; where it fails in a declared way, the old one does.
    case candidateWithFallback
    /// The new side answers; a sample goes to the old one too, and is compared: the way back stays proven.
    case candidateShadowed(sample: Share)
    /// The new side answers; the old one is not opened.
    case candidateOnly

    /// The side that answers every call first, and alone; nil where it depends on the unit.
    public var side: Side? {
        switch self {
        case .legacyOnly, .shadow: .legacy
        case .canary: nil
        case .candidateWithFallback, .candidateShadowed, .candidateOnly: .candidate
        }
    }

    /// Whether another side than the one that answers may be called as well.
    public var opensBothSides: Bool { self != .legacyOnly && self != .candidateOnly }

    /// The stage's kind, without its parameter.
    public var kind: Kind {
        switch self {
        case .legacyOnly: .legacyOnly
        case .shadow: .shadow
        case .canary: .canary
        case .candidateWithFallback: .candidateWithFallback
        case .candidateShadowed: .candidateShadowed
        case .candidateOnly: .candidateOnly
        }
    }

    /// The stages' names, in the order in which an upgrade goes through them.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        case legacyOnly, shadow, canary, candidateWithFallback, candidateShadowed, candidateOnly

        /// What the number behind the name means; nil where there is none.
        var parameter: String? {
            switch self {
            case .shadow, .candidateShadowed: "SAMPLE"
            case .canary: "SHARE"
            case .legacyOnly, .candidateWithFallback, .candidateOnly: nil
            }
        }

        /// How it is written: "canary(SHARE)".
        var form: String { parameter.map { "\(rawValue)(\($0))" } ?? rawValue }
    }
}
