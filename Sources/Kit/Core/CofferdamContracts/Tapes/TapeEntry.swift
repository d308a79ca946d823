/// One call on a tape, or one subscription of a stream.
package struct TapeEntry: Sendable, Hashable {
    package var operation: String
    package var kind: TapeCallKind
    package var arguments: TapeValue
    /// When the call began, in microseconds since the recording began.
    package var start: Int64
    /// How long the call took, in microseconds.
    package var took: Int64
    /// The items that a stream delivered; nil if the entry is not a stream.
    package var items: [TapeItem]?
    package var outcome: TapeOutcome

    /// Whether both were in progress at the same time.
    func overlaps(_ other: TapeEntry) -> Bool { start < other.start + other.took && other.start < start + took }
}

/// How a call is matched with the recorded ones.
public enum TapeCallKind: String, Sendable, Hashable, Codable {
    /// The call changes something; it is matched by its arguments, field by field.
    case write
    /// The call changes nothing; it is matched by its arguments, field by field.
    case read
    /// The call changes nothing, and its arguments are never the same twice, because they contain the time, for
    /// example; it is matched by its operation alone.
    case looseRead
}

/// One element of a stream.
package struct TapeItem: Sendable, Hashable {
    /// When the item arrived, in microseconds since the subscription.
    package var at: Int64
    package var value: TapeValue
}

/// How a call or a stream ended.
package enum TapeOutcome: Sendable, Hashable {
    /// What the call returned, null for nothing; or the stream came to its end.
    case returned(TapeValue)
    case failed(TapeFailure)
    /// The caller cancelled it, or it was still in progress when the recording ended.
    case cancelled
}

/// An error on a tape.
package struct TapeFailure: Sendable, Hashable, Codable {
    /// The name of the error's type.
    package var type: String
    /// The error's text, if nothing else is known of it.
    package var text: String?
    /// The whole error, if the port's ``TapeErrorRecord`` can record it.
    package var record: TapeValue?
}

extension TapeEntry: Codable {
    private enum Key: String, CodingKey { case operation, kind, arguments, start, took, items, outcome }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        operation = try container.decode(String.self, forKey: .operation)
        kind = try container.decode(TapeCallKind.self, forKey: .kind)
        arguments = try container.decodeIfPresent(TapeValue.self, forKey: .arguments) ?? .object([:])
        start = try container.decodeMicroseconds(forKey: .start)
        took = try container.decodeMicroseconds(forKey: .took)
        items = try container.decodeIfPresent([TapeItem].self, forKey: .items)
        outcome = try container.decode(TapeOutcome.self, forKey: .outcome)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(operation, forKey: .operation)
        try container.encode(kind, forKey: .kind)
        if arguments != .object([:]) { try container.encode(arguments, forKey: .arguments) }
        try container.encode(start, forKey: .start)
        try container.encode(took, forKey: .took)
        try container.encodeIfPresent(items, forKey: .items)
        try container.encode(outcome, forKey: .outcome)
    }
}

extension TapeOutcome: Codable {
    private enum Key: String, CodingKey, CaseIterable { case returned, failed, cancelled }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            let keys = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: "exactly one of \(keys)")
            )
        }
        switch key {
        case .returned: self = .returned(try container.decode(TapeValue.self, forKey: key))
        case .failed: self = .failed(try container.decode(TapeFailure.self, forKey: key))
        case .cancelled: self = .cancelled
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .returned(let value): try container.encode(value, forKey: .returned)
        case .failed(let failure): try container.encode(failure, forKey: .failed)
        case .cancelled: try container.encode(true, forKey: .cancelled)
        }
    }
}

extension TapeItem: Codable {
    private enum Key: String, CodingKey { case at, value }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        at = try container.decodeMicroseconds(forKey: .at)
        value = try container.decode(TapeValue.self, forKey: .value)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(at, forKey: .at)
        try container.encode(value, forKey: .value)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a time that a recording can have: at most 285 years.
    fileprivate func decodeMicroseconds(forKey key: Key) throws -> Int64 {
        let time = try decode(Int64.self, forKey: key)
        guard (0...1 << 53).contains(time) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath + [key], debugDescription: "not a time of a recording: \(time)")
            )
        }
        return time
    }
}
