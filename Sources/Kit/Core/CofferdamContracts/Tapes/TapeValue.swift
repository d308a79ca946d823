#if canImport(FoundationEssentials)
package import FoundationEssentials  // for Decimal
#else
package import Foundation  // for Decimal
#endif

/// A value on a tape: JSON with exact integers and decimals.
package enum TapeValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case decimal(Decimal)
    /// A number that is too large or too small for a decimal.
    case double(Double)
    case text(String)
    indirect case array([TapeValue])
    indirect case object([String: TapeValue])
}

extension TapeValue {
    /// - Throws: what the value's own encoding throws.
    package init(encoding value: some Encodable) throws {
        let data = try JSONEncoder.tape(isPretty: false).encode([value])
        self = try JSONDecoder.tape.decode([TapeValue].self, from: data).first ?? .null
    }

    /// - Throws: `DecodingError` if the tape holds something else.
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let data = try JSONEncoder.tape(isPretty: false).encode([self])
        guard let value = try JSONDecoder.tape.decode([Value].self, from: data).first else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no value"))
        }
        return value
    }

    /// The value on one line, for people, cut after 80 characters.
    var summary: String {
        // A value that cannot be shown is no reason to fail, because this text is part of an error.
        guard let data = try? JSONEncoder.tape(isPretty: false).encode([self]) else { return "?" }
        let text = String(decoding: data.dropFirst().dropLast(), as: UTF8.self)
        return text.count > 80 ? text.prefix(80) + "…" : text
    }
}

extension TapeValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Decimal.self) {
            self = Int64(value.description).map { .integer($0) } ?? .decimal(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode([String: TapeValue].self) {
            self = .object(value)
        } else {
            self = .array(try container.decode([TapeValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONEncoder {
    /// Deterministic: keys are sorted.
    static func tape(isPretty: Bool) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return encoder
    }
}

extension JSONDecoder {
    static var tape: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return decoder
    }
}
