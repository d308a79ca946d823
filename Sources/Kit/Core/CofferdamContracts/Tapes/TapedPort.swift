public import Cofferdam  // for TapeRecord

/// Makes calls through a tape that are in no port's table, such as a harness's own: they are recorded, or answered from
/// the tape.
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

    /// Makes a call whose result is recorded as `Record`.
    ///
    /// - Parameters:
    ///   - operation: the call's name on the tape.
    ///   - arguments: everything that distinguishes this call from others, by name.
    ///   - body: makes the call; not called when replaying.
    /// - Throws: what `body` throws, or threw when it was recorded; `TapeError` for a call that the tape does not have.
    ///   A call that was recorded as cancelled waits until it is cancelled.
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

    /// Makes a call whose result is recorded as it is.
    public func call<Value: Codable & Sendable>(
        _ operation: String,
        _ arguments: TapeArguments = [:],
        kind: TapeCallKind = .write,
        _ body: (Port) async throws -> Value
    ) async throws -> Value {
        try await call(operation, arguments, kind: kind, as: CodableRecord<Value>.self, body)
    }

    /// Makes a call without a result.
    public func call(
        _ operation: String,
        _ arguments: TapeArguments = [:],
        kind: TapeCallKind = .write,
        _ body: (Port) async throws -> Void
    ) async throws {
        try await call(operation, arguments, kind: kind, as: NothingRecord.self, body)
    }

    /// Returns a stream whose elements are recorded as `Record`. Each iteration is a separate entry.
    ///
    /// A stream that was recorded as cancelled, or as still open, waits after its last element until it is cancelled.
    ///
    /// - Parameter body: returns the stream; not called when replaying.
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

    /// Returns a stream whose elements are recorded as they are.
    public func stream<Element: Codable & Sendable>(
        _ operation: String,
        _ arguments: TapeArguments = [:],
        _ body: (Port) -> any AsyncSequence<Element, any Error> & Sendable
    ) -> any AsyncSequence<Element, any Error> & Sendable {
        stream(operation, arguments, as: CodableRecord<Element>.self, body)
    }
}
