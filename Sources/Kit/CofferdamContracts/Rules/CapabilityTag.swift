/// Something that one adapter can do and another cannot, in the port's own words: "sessionRefresh".
public struct CapabilityTag: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    public var description: String { rawValue }
}

extension CapabilityTag: Comparable {
    public static func < (a: CapabilityTag, b: CapabilityTag) -> Bool { a.rawValue < b.rawValue }
}

extension CapabilityTag: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
