/// How a value stands on a tape that is not `Codable` itself, or should stand there in another way.
///
/// A list, and a value that may be absent, are records where their element is: `[AnimalRecord].self`.
public protocol TapeRecord<Value>: Codable, Sendable {
    associatedtype Value: Sendable

    init(_ value: Value)

    /// The value as it was.
    ///
    /// - Throws: what the value's own initializer refuses.
    var value: Value { get throws }
}

extension Array: TapeRecord where Element: TapeRecord {
    public init(_ value: [Element.Value]) { self = value.map { Element($0) } }
    public var value: [Element.Value] { get throws { try map { try $0.value } } }
}

extension Optional: TapeRecord where Wrapped: TapeRecord {
    public init(_ value: Wrapped.Value?) { self = value.map { Wrapped($0) } }
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

/// The result of what returns nothing.
package struct NothingRecord: TapeRecord {
    package init(_ value: Void) {}
    package init(from decoder: any Decoder) throws {}
    package var value: Void { () }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
