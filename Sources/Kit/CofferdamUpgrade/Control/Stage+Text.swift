extension Stage: RawRepresentable {
    /// The stage as text: "legacyOnly", "canary(500)".
    public var rawValue: String { parameter.map { "\(kind.rawValue)(\($0))" } ?? kind.rawValue }

    /// The only text for each stage is ``rawValue``: there are no spaces, signs or leading zeros.
    ///
    /// - Returns: nil for everything else.
    public init?(rawValue: String) {
        let name = rawValue.prefix { $0 != "(" }
        guard let kind = Kind(rawValue: String(name)) else { return nil }
        let share = Self.number(in: rawValue.dropFirst(name.count))
        let stage: Stage? =
            switch kind {
            case .legacyOnly: .legacyOnly
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
        case .legacyOnly, .candidateWithFallback, .candidateOnly: nil
        }
    }

    /// The share in "(500)".
    private static func number(in text: Substring) -> Share? {
        guard text.first == "(", text.last == ")" else { return nil }
        return Int(text.dropFirst().dropLast()).flatMap(Share.init(tenThousandths:))
    }

    /// What a stage's text may be, for people.
    static var allowedTexts: String {
        Kind.allCases.map(\.form).joined(separator: ", ")
            + "; SAMPLE and SHARE are \(Share.range.lowerBound) to \(Share.range.upperBound)"
    }
}

/// As its text.
extension Stage: Codable {}

extension Stage: CustomStringConvertible {
    public var description: String { rawValue }
}

/// By what a failure of the candidate's could reach: the kinds in their order, and a larger share after a smaller one.
extension Stage: Comparable {
    public static func < (a: Stage, b: Stage) -> Bool {
        guard a.kind == b.kind else { return a.position < b.position }
        guard let first = a.parameter, let second = b.parameter else { return false }
        return first < second
    }

    private var position: Int { Kind.allCases.firstIndex(of: kind) ?? 0 }
}
