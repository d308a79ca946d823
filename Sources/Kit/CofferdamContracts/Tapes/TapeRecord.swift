#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

/// How an error stands on a tape: with its open code, and all else that the port's callers look at.
///
/// For an error that is `Codable` the conformance is all: `extension StoreError: TapeErrorRecord {}`.
public protocol TapeErrorRecord: Codable, Sendable {
    /// Nil for an error of another kind, which is recorded by its type's name and its text, and replayed as ``TapedError``.
    init?(_ error: any Error)

    var error: any Error { get }
}

extension TapeErrorRecord where Self: Error {
    public init?(_ error: any Error) {
        guard let error = error as? Self else { return nil }
        self = error
    }

    public var error: any Error { self }
}

/// An error that a tape knows only by the name of its type and its text.
public struct TapedError: Error, Sendable, Hashable, CustomStringConvertible {
    public let type: String
    public let text: String

    public var description: String { "\(type): \(text)" }
}

/// Bytes, on a tape as base64.
public struct TapeBytes: Sendable, Hashable, Codable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(from decoder: any Decoder) throws {
        bytes = [UInt8](try decoder.singleValueContainer().decode(Data.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes))
    }
}

/// The arguments of a call by their names: `["id": id, "limit": 10]`.
public struct TapeArguments: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    private let arguments: [String: any Encodable & Sendable]

    public init(dictionaryLiteral elements: (String, any Encodable & Sendable)...) {
        arguments = Dictionary(elements) { _, last in last }
    }

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

/// A value that is its own record.
struct CodableRecord<Value: Codable & Sendable>: TapeRecord {
    let value: Value

    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// The result of what returns nothing.
struct NothingRecord: TapeRecord {
    init(_ value: Void) {}
    init(from decoder: any Decoder) throws {}
    var value: Void { () }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
