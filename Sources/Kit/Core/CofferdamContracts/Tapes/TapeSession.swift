public import Cofferdam  // for Intercepted

/// Runs `body` with its own tape, which is recorded and written afterwards, or read beforehand and replayed.
///
/// It is for test frameworks, with one call for each test and each of its cases. When recording, nothing is written if
/// the body throws or the test has failed, unless `writesAfterFailure` is set. When replaying, a call that the tape
/// does not have is an error even if the body has caught it, and so is a recorded call that was not made, unless
/// `allowsUnused` is set.
///
/// - Parameters:
///   - options: the redaction, the pace, and what is allowed.
///   - hasFailed: whether the test has failed other than by an error of `body`.
/// - Throws: what `body` throws; `TapeError`.
public func withTape<Result>(
    _ file: TapeLocation,
    _ mode: TapeMode,
    options: TapeOptions = TapeOptions(),
    hasFailed: () -> Bool = { false },
    _ body: (TapeSession) async throws -> Result
) async throws -> Result {
    switch mode {
    case .record:
        let recorder = try TapeRecorder(
            file.title,
            redaction: options.redaction,
            clock: options.clock,
            environment: options.environment
        )
        let result: Result
        do { result = try await body(TapeSession(mode: .recording(recorder))) } catch {
            // The failure remains the error that is thrown, even if its tape cannot be written.
            if options.writesAfterFailure { try? recorder.finish().write(to: file.path) }
            throw error
        }
        if !hasFailed() || options.writesAfterFailure { try recorder.finish().write(to: file.path) }
        return result
    case .replay:
        let tape = try Tape(contentsOf: file.path)
        guard tape.title == options.redaction.apply(to: file.title) else {
            throw TapeError(.damaged, "the tape of another test: \(tape.title)", subject: file.path)
        }
        let pace = options.keepsPace ? TapePace.recorded(on: options.clock) : .immediate
        let player = try TapePlayer(tape, redaction: options.redaction, pace: pace)
        let result = try await body(TapeSession(mode: .replaying(player)))
        try player.finish(allowingUnused: options.allowsUnused || hasFailed())
        return result
    }
}

/// One tape in use, which ``withTape(_:_:options:hasFailed:_:)`` passes to its body.
public struct TapeSession: Sendable {
    enum Mode: Sendable {
        case recording(TapeRecorder)
        case replaying(TapePlayer)
    }

    let mode: Mode

    /// Whether calls go to the real port.
    public var isRecording: Bool { if case .recording = mode { true } else { false } }

    /// Returns a port whose calls are recorded, or answered from the tape.
    ///
    /// - Parameters:
    ///   - name: the first part of the operations' names on a tape of several ports.
    ///   - errors: how the port's errors are recorded.
    ///   - open: opens the real port; not called when replaying.
    public func intercepted<Port: Sendable>(
        _ name: String? = nil,
        errors: (any TapeErrorRecord.Type)? = nil,
        _ open: () async throws -> Port
    ) async rethrows -> Intercepted<Port> {
        switch mode {
        case .recording(let recorder):
            Intercepted(try await open(), by: [recorder.interceptor(of: name, errors: errors)])
        case .replaying(let player): Intercepted(source: player.source(of: name, errors: errors))
        }
    }
}
