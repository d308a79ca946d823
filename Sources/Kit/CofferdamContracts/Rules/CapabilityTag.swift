/// A capability that some adapters have and others lack, in the port's own words: "sessionRefresh".
public struct CapabilityTag: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The capability's name in reports.
    public let rawValue: String
    /// Names a capability.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Names a capability: `"sessionRefresh"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The same text as ``rawValue``.
    public var description: String { rawValue }
}

extension CapabilityTag: Comparable {
    /// Orders capabilities by name.
    public static func < (a: CapabilityTag, b: CapabilityTag) -> Bool { a.rawValue < b.rawValue }
}

extension CapabilityTag: Codable {
    /// Decodes the name from a plain string.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the name as a plain string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
