public import Cofferdam  // operations and their records

/// Calls through a tape that are in no port's table, such as a harness's own calls: recorded on the way, or answered in its
/// place.
///
///     try await taped.call("seed", ["count": 3]) { try await $0.seed(3) }
public struct TapedPort<Port: Sendable>: Sendable {
    enum Mode: Sendable {
        case recording(TapeRecorder, Port)
        case replaying(TapePlayer)
    }

    let mode: Mode
    private let errors: (any TapeErrorRecord.Type)?

    /// Whether calls go to the real port.
    public var isRecording: Bool { if case .recording = mode { true } else { false } }

    init(_ mode: Mode, errors: (any TapeErrorRecord.Type)?) {
        self.mode = mode
        self.errors = errors
    }

    /// A call whose result is on the tape as `Record`.
    ///
    /// - Parameters:
    ///   - operation: the call's name on the tape.
    ///   - arguments: all that makes this call another one than the next, by name.
    ///   - body: makes the call; not called at replaying.
    /// - Throws: what `body` throws, or has thrown when it was recorded; `TapeError` for a call that the tape does not
    ///   have. A call that was recorded as cancelled waits until it is cancelled.
    public func call<Record: TapeRecord>(
        _ operation: String,
        _ arguments: TapeArguments = [:],
        kind: TapeCallKind = .write,
        as record: Record.Type,
        _ body: (Port) async throws -> Record.Value
    ) async throws -> Record.Value {
        switch mode {
        case .recording(let recorder, let port):
            guard let arguments = recorder.recordable(arguments, of: operation),
                let number = recorder.begin(operation, kind, arguments, isStream: false)
            else { return try await body(port) }
            do {
                let value = try await body(port)
                recorder.end(number, of: operation, returning: Record(value))
                return value
            } catch {
                recorder.end(number, of: operation, throwing: error, errors)
                throw error
            }
        case .replaying(let player):
            let entry = try player.take(operation, kind, arguments, isStream: false)
            try await player.wait(for: entry)
            return try await entry.end(as: Record.self, errors)
        }
    }

    /// A call whose result is on the tape as it is.
    public func call<Value: Codable & Sendable>(
        _ operation: String,
        _ arguments: TapeArguments = [:],
        kind: TapeCallKind = .write,
        _ body: (Port) async throws -> Value
    ) async throws -> Value {
        try await call(operation, arguments, kind: kind, as: CodableRecord<Value>.self, body)
    }

    /// A call without a result.
    public func call(
        _ operation: String,
        _ arguments: TapeArguments = [:],
        kind: TapeCallKind = .write,
        _ body: (Port) async throws -> Void
    ) async throws {
        try await call(operation, arguments, kind: kind, as: NothingRecord.self, body)
    }

    /// A stream whose elements are on the tape as `Record`. Each iteration is an entry of its own.
    ///
    /// A stream that was recorded as cancelled, or as still open, waits after its last element until it is cancelled.
    ///
    /// - Parameter body: asks for the stream; not called at replaying.
    public func stream<Record: TapeRecord>(
        _ operation: String,
        _ arguments: TapeArguments = [:],
        as record: Record.Type,
        _ body: (Port) -> any AsyncSequence<Record.Value, any Error> & Sendable
    ) -> any AsyncSequence<Record.Value, any Error> & Sendable {
        switch mode {
        case .recording(let recorder, let port):
            let stream = body(port)
            guard let arguments = recorder.recordable(arguments, of: operation) else { return stream }
            return RecordedStream<Record>(
                stream: stream,
                recorder: recorder,
                operation: operation,
                arguments: arguments,
                errors: errors
            )
        case .replaying(let player):
            return ReplayedStream<Record>(player: player, errors: errors) { () throws(TapeError) in
                try player.take(operation, .read, arguments, isStream: true)
            }
        }
    }

    /// A stream whose elements are on the tape as they are.
    public func stream<Element: Codable & Sendable>(
        _ operation: String,
        _ arguments: TapeArguments = [:],
        _ body: (Port) -> any AsyncSequence<Element, any Error> & Sendable
    ) -> any AsyncSequence<Element, any Error> & Sendable {
        stream(operation, arguments, as: CodableRecord<Element>.self, body)
    }
}
