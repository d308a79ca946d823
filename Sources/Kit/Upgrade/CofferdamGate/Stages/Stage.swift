public import Cofferdam  // operations, sides and differences

/// The stage of an upgrade: which side answers, and which one is compared with it.
public enum Stage: Sendable, Hashable {
    /// The legacy side answers. The candidate is not opened, except for named units: see the article "Operating an
    /// upgrade" of `CofferdamUpgrade`.
    case legacyOnly
    /// Two builds of the legacy side are compared with each other, because no process holds both sides: see ``Arm``.
    case aa
    /// The legacy side answers. A sample of the calls also goes to the candidate, off the caller's path, and is
    /// compared.
    case shadow(sample: Share)
    /// The candidate answers this share of the units, with the legacy side as fallback. The legacy side answers the
    /// others.
    case canary(share: Share)
    /// Builds of the legacy side are compared with builds of the candidate. The release process decides which users get
    /// which build: see ``Arm``. A process with both sides answers from the legacy side.
    case arms
    /// The candidate answers. The legacy side is the fallback for declared failures.
    case candidateWithFallback
    /// The candidate answers. A sample also goes to the legacy side and is compared, which proves that the way back
    /// works.
    case candidateShadowed(sample: Share)
    /// The candidate answers. The legacy side is not opened.
    case candidateOnly

    /// The side that answers every call first; nil if it depends on the unit.
    public var side: Side? {
        switch self {
        case .legacyOnly, .aa, .shadow, .arms: .legacy
        case .canary: nil
        case .candidateWithFallback, .candidateShadowed, .candidateOnly: .candidate
        }
    }

    /// Whether a stage may call both sides.
    package var opensBothSides: Bool { self != .legacyOnly && self != .candidateOnly && !comparesBuilds }

    /// Whether some units belong on one side and the others on the other.
    package var splitsUnits: Bool { if case .canary(let share) = self { share != .all } else { false } }

    /// Whether builds with one side each are compared.
    package var comparesBuilds: Bool { self == .aa || self == .arms }

    /// The stage without its parameter.
    public var kind: Kind {
        switch self {
        case .legacyOnly: .legacyOnly
        case .aa: .aa
        case .shadow: .shadow
        case .canary: .canary
        case .arms: .arms
        case .candidateWithFallback: .candidateWithFallback
        case .candidateShadowed: .candidateShadowed
        case .candidateOnly: .candidateOnly
        }
    }

    /// The names of the stages, in the order of an upgrade.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        case legacyOnly, aa, shadow, canary, arms, candidateWithFallback, candidateShadowed, candidateOnly

        /// The meaning of the number in parentheses; nil if there is none.
        var parameter: String? {
            switch self {
            case .shadow, .candidateShadowed: "SAMPLE"
            case .canary: "SHARE"
            case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: nil
            }
        }

        /// The form of the text: "canary(SHARE)".
        var form: String { parameter.map { "\(rawValue)(\($0))" } ?? rawValue }
    }
}

extension Stage: RawRepresentable {
    /// The stage as text: "legacyOnly", "canary(500)".
    public var rawValue: String { parameter.map { "\(kind.rawValue)(\($0))" } ?? kind.rawValue }

    /// Parses a stage. Each stage has exactly one text, ``rawValue``: no spaces, signs or leading zeros.
    ///
    /// - Returns: nil for any other text.
    public init?(rawValue: String) {
        let name = rawValue.prefix { $0 != "(" }
        guard let kind = Kind(rawValue: String(name)) else { return nil }
        let share = Self.number(in: rawValue.dropFirst(name.count))
        let stage: Stage? =
            switch kind {
            case .legacyOnly: .legacyOnly
            case .aa: .aa
            case .arms: .arms
            case .shadow: share.map { .shadow(sample: $0) }
            case .canary: share.map { .canary(share: $0) }
            case .candidateWithFallback: .candidateWithFallback
            case .candidateShadowed: share.map { .candidateShadowed(sample: $0) }
            case .candidateOnly: .candidateOnly
            }
        guard let stage, stage.rawValue == rawValue else { return nil }
        self = stage
    }

    private var parameter: Share? {
        switch self {
        case .shadow(let share), .canary(let share), .candidateShadowed(let share): share
        case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: nil
        }
    }

    /// The share in "(500)".
    private static func number(in text: Substring) -> Share? {
        guard text.first == "(", text.last == ")" else { return nil }
        return Int(text.dropFirst().dropLast()).flatMap(Share.init(tenThousandths:))
    }

    /// The valid texts, for people.
    package static var allowedTexts: String {
        Kind.allCases.map(\.form).joined(separator: ", ")
            + "; SAMPLE and SHARE are \(Share.range.lowerBound) to \(Share.range.upperBound)"
    }
}

/// Encoded as its text.
extension Stage: Codable {}

extension Stage {
    /// Written out, because that of a raw value makes and compares the texts.
    public static func == (a: Stage, b: Stage) -> Bool { a.kind == b.kind && a.parameter == b.parameter }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(parameter)
    }
}

extension Stage: CustomStringConvertible {
    /// The same as ``rawValue``.
    public var description: String { rawValue }
}

/// Ordered by how many units a failure of the candidate can affect: by kind, then by share.
extension Stage: Comparable {
    /// Returns whether a failure of the candidate affects fewer units at the first stage than at the second.
    public static func < (a: Stage, b: Stage) -> Bool {
        guard a.kind == b.kind else { return a.position < b.position }
        guard let first = a.parameter, let second = b.parameter else { return false }
        return first < second
    }

    private var position: Int { Kind.allCases.firstIndex(of: kind) ?? 0 }
}
