/// Names one rule of a contract for ever: "LIST-01".
public struct RuleID: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    public var description: String { rawValue }
}

extension RuleID: Comparable {
    public static func < (a: RuleID, b: RuleID) -> Bool { a.rawValue < b.rawValue }
}

extension RuleID: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// How much a rule binds an adapter.
public enum RuleLevel: String, Sendable, Hashable, Codable {
    case must = "M"
    case should = "S"
    /// Only where the capability is declared.
    case optional = "O"
    /// Seeded and repeated.
    case stochastic = "X"
}

/// Names what one adapter can do and another cannot, in the port's own words: "sessionRefresh".
public struct CapabilityTag: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    public var description: String { rawValue }
}
