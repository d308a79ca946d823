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

// Encoded as its raw value.
extension CapabilityTag: Codable {}
