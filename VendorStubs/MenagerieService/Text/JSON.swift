#if Sandbox
import Foundation

/// A JSON value. Whole numbers are exact if they fit 64 bits.
enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    static func integer(_ value: Int) -> JSON { .integer(Int64(value)) }

    /// Returns an object of the members that are not nil.
    static func members(_ members: [String: JSON?]) -> JSON { .object(members.compactMapValues(\.self)) }

    /// The member with that name, if this is an object that has one.
    subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON {
    /// Reads UTF-8 text.
    init(reading text: [UInt8]) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text)) }

    /// Returns the value as UTF-8 text on one line, with members sorted by name.
    ///
    /// - Throws: `EncodingError` for a number that is not finite.
    func text() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}

extension JSON: Codable {
    /// The maximum nesting depth, which bounds the stack needed for reading.
    private static let maximumDepth = 64

    init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.maximumDepth else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "nested too deeply"))
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let text = try value.decodeIfMatches(String.self) {
            self = .string(text)
        } else if let number = try value.decodeIfMatches(Double.self) {
            // Decoded again: an integer of more than 53 bits is not exact yet.
            self = (try? .integer(value.decode(Int64.self))) ?? .number(number)
        } else if let flag = try value.decodeIfMatches(Bool.self) {
            self = .bool(flag)
        } else if let elements = try value.decodeIfMatches([JSON].self) {
            self = .array(elements)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

extension SingleValueDecodingContainer {
    /// Returns nil if the value is of another type; throws if it is damaged.
    fileprivate func decodeIfMatches<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        do {
            return try decode(type)
        } catch DecodingError.typeMismatch {
            return nil
        }
    }
}
#endif
