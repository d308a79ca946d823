/// One call on a tape, or one subscription of a stream.
package struct TapeEntry: Sendable, Hashable {
    package var operation: String
    package var kind: TapeCallKind
    package var arguments: TapeValue
    /// When it began, in microseconds after the recording did.
    package var start: Int64
    /// How long it took, in microseconds.
    package var took: Int64
    /// What a stream delivered; nil for what is no stream.
    package var items: [TapeItem]?
    package var outcome: TapeOutcome

    /// Whether there was a time at which both were under way.
    func overlaps(_ other: TapeEntry) -> Bool { start < other.start + other.took && other.start < start + took }
}

/// How a call is matched with what was recorded.
public enum TapeCallKind: String, Sendable, Hashable, Codable {
    /// It changes something: the same arguments, field by field.
    case write
    /// It changes nothing: the same arguments, field by field.
    case read
    /// A read whose arguments are no two times the same (they hold the time, say): the operation alone.
    case looseRead
}

/// One element of a stream.
package struct TapeItem: Sendable, Hashable {
    /// In microseconds after the subscription.
    package var at: Int64
    package var value: TapeValue
}

/// How a call or a stream ended.
package enum TapeOutcome: Sendable, Hashable {
    /// What the call returned, null for nothing; the stream came to its end.
    case returned(TapeValue)
    case failed(TapeFailure)
    /// By the caller's cancellation; or it was still going on when the recording ended.
    case cancelled
}

/// An error on a tape.
package struct TapeFailure: Sendable, Hashable, Codable {
    /// The name of the error's type.
    package var type: String
    /// What it says, where that is all that is known of it.
    package var text: String?
    /// All of the error, where the port's ``TapeErrorRecord`` knows it.
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
    /// A time that a recording can have: at the most 285 years.
    fileprivate func decodeMicroseconds(forKey key: Key) throws -> Int64 {
        let time = try decode(Int64.self, forKey: key)
        guard (0...1 << 53).contains(time) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath + [key], debugDescription: "no time of a recording: \(time)")
            )
        }
        return time
    }
}
