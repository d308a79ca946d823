/// The format of a value on a tape, if the value is not `Codable` or needs another format.
///
/// Arrays and optionals of records are records too: `[AnimalRecord].self`.
public protocol TapeRecord<Value>: Codable, Sendable {
    associatedtype Value: Sendable

    init(_ value: Value)

    /// The recorded value.
    ///
    /// - Throws: the error of the value's own initializer.
    var value: Value { get throws }
}

extension Array: TapeRecord where Element: TapeRecord {
    /// Records each element in its tape form.
    public init(_ value: [Element.Value]) { self = value.map { Element($0) } }
    /// The elements, read back one by one.
    public var value: [Element.Value] { get throws { try map { try $0.value } } }
}

extension Optional: TapeRecord where Wrapped: TapeRecord {
    /// Records the wrapped value in its tape form, or null.
    public init(_ value: Wrapped.Value?) { self = value.map { Wrapped($0) } }
    /// The wrapped value, read back; nil for null.
    public var value: Wrapped.Value? { get throws { try map { try $0.value } } }
}

/// A value that is its own record.
package struct CodableRecord<Value: Codable & Sendable>: TapeRecord {
    package let value: Value

    package init(_ value: Value) { self.value = value }
    package init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// The record of an operation without a result.
package struct NothingRecord: TapeRecord {
    package init(_ value: Void) {}
    package init(from decoder: any Decoder) throws {}
    package var value: Void { () }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

/// The arguments of a call by their names: `["id": id, "limit": 10]`.
public struct TapeArguments: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    private let arguments: [String: any Encodable & Sendable]

    /// Arguments by name.
    public init(dictionaryLiteral elements: (String, any Encodable & Sendable)...) {
        arguments = Dictionary(elements) { _, last in last }
    }

    /// Encodes an object with the names as keys.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in arguments { try container.encode(value, forKey: Name(stringValue: name)) }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// Bytes, on a tape as base64 (RFC 4648, section 4).
public struct TapeBytes: Sendable, Hashable, Codable {
    /// The bytes.
    public var bytes: [UInt8]

    /// Creates a record of bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Decodes the bytes from Base64.
    ///
    /// - Throws: `DecodingError` if the text is not Base64.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Self.decoded(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64")
        }
        self.bytes = bytes
    }

    /// Encodes the bytes as Base64.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.encoded(bytes))
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    private static let values = Dictionary(uniqueKeysWithValues: digits.enumerated().map { ($1, UInt32($0)) })

    private static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place > group.count ? padding : digits[Int(bits >> UInt32(18 - 6 * place) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil unless the text is base64 with its padding.
    private static func decoded(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            let isLast = start + 4 == text.count
            let used = isLast ? 4 - text[start...].reversed().prefix { $0 == padding }.count : 4
            guard used >= 2 else { return nil }
            var bits: UInt32 = 0
            for place in 0..<4 {
                guard place < used else {
                    bits <<= 6
                    continue
                }
                guard let value = values[text[start + place]] else { return nil }
                bits = bits << 6 | value
            }
            for place in 0..<(used - 1) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * place))) }
        }
        return bytes
    }
}
