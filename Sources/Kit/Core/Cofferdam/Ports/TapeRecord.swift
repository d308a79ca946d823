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
