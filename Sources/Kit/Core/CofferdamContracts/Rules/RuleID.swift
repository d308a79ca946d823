/// A rule's permanent name: "LIST-01" in the kit's catalogue, "shop/LIST-01" for a project's own rule.
///
/// The two are different rules: a project's own rule never counts as one of the catalogue.
public struct RuleID: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The id as it is written: `"LIST-01"`.
    public let rawValue: String
    /// Takes any text; a run reports an id of another form as a problem.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any text; a run reports an id of another form as a problem.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The same text as ``rawValue``.
    public var description: String { rawValue }

    /// "shop" of "shop/LIST-01"; nil without a namespace.
    package var namespace: String? {
        rawValue.firstIndex(of: "/").map { String(rawValue[..<$0]) }
    }

    /// "LIST" of "shop/LIST-01".
    package var family: String {
        let name = rawValue[(rawValue.firstIndex(of: "/").map(rawValue.index(after:)) ?? rawValue.startIndex)...]
        return String(name.prefix { $0 != "-" })
    }

    /// Whether it has a family in capitals and a number of at least two digits, after an optional namespace in lower
    /// case.
    package var isWellFormed: Bool {
        rawValue.wholeMatch(of: /(?:[a-z][a-z0-9-]*\/)?[A-Z][A-Z0-9]*-[0-9]{2,}/) != nil
    }
}

extension RuleID: Comparable {
    /// Orders ids as text.
    public static func < (a: RuleID, b: RuleID) -> Bool { a.rawValue < b.rawValue }
}

// Encoded as its raw value.
extension RuleID: Codable {}
