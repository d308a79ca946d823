#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs `body` with a tape of its own: recorded and written afterwards, or read before and replayed.
///
/// For a test layer: one call for each test and each of its cases. Recording, a body that throws or has failed writes
/// nothing; replaying, a call that the tape does not have is an error though the body has caught it, and so is what was not
/// called.
///
/// - Parameters:
///   - options: redaction, pace, and what is allowed.
///   - hasFailed: whether the test has failed in another way than by an error of `body`.
/// - Throws: what `body` throws; ``TapeError``.
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
            // Whoever allows the tape of a failure wants it beside the failure, which is the more important error.
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

/// One tape in use: what ``withTape(_:_:options:hasFailed:_:)`` hands to its body.
public struct TapeSession: Sendable {
    enum Mode: Sendable {
        case recording(TapeRecorder)
        case replaying(TapePlayer)
    }

    let mode: Mode

    /// Whether calls go to the real port.
    public var isRecording: Bool { if case .recording = mode { true } else { false } }

    /// A port whose calls are recorded, or answered from the tape.
    ///
    /// - Parameters:
    ///   - errors: how the port's errors stand on the tape.
    ///   - open: opens the real port; not called at replaying.
    public func port<Port: Sendable>(
        errors: (any TapeErrorRecord.Type)? = nil,
        _ open: () async throws -> Port
    ) async rethrows -> TapedPort<Port> {
        switch mode {
        case .recording(let recorder): recorder.port(try await open(), errors: errors)
        case .replaying(let player): player.port(errors: errors)
        }
    }
}

public enum TapeMode: String, Sendable, Hashable {
    case record, replay

    /// `record` where the variable `COFFERDAM_TAPES` says so, and else `replay`.
    ///
    /// - Parameter environment: by default the process's.
    public init(environment: [String: String]? = nil) {
        let value = (environment ?? ProcessInfo.processInfo.environment)["COFFERDAM_TAPES"]
        self = value.flatMap { TapeMode(rawValue: $0) } ?? .replay
    }
}

/// How tapes are recorded and replayed.
public struct TapeOptions: Sendable {
    public var redaction = TapeRedaction()
    /// Measures when recording, and waits when the pace is kept.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Calls take as long as recorded.
    public var keepsPace = false
    /// What was recorded need not be called.
    public var allowsUnused = false
    /// The tape of a test that failed is written as well.
    public var writesAfterFailure = false
    /// In which the variable `CI` forbids to record; nil is the process's.
    public var environment: [String: String]?

    public init() {}

    /// Options that differ from the usual ones.
    public static func defaults(_ change: (inout TapeOptions) -> Void) -> TapeOptions {
        var options = TapeOptions()
        change(&options)
        return options
    }
}

/// Where the tape of one test, or of one case of it, lies: no two share one.
public struct TapeLocation: Sendable, Hashable {
    /// "GreetingTests/says hello (case: kenji)".
    public let title: String
    public let path: String

    /// - Parameters:
    ///   - directory: of the tapes.
    ///   - test: the test's identifier.
    ///   - testCase: which of its cases; nil if it has one.
    public init(directory: String, test: String, testCase: String? = nil) {
        title = testCase.map { "\(test) (case: \($0))" } ?? test
        path = "\(directory)/\(Self.fileName(title)).tape.json"
    }

    /// Readable, and for each title another one: what no file system minds, and a digest of the whole.
    private static func fileName(_ title: String) -> String {
        let name = title.utf8.map { byte -> UInt8 in
            switch byte {
            case 48...57, 65...90, 97...122: byte
            default: 45
            }
        }
        // FNV-1a, https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
        let digest = title.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let words = String(decoding: name, as: UTF8.self).split(separator: "-").joined(separator: "-")
        return "\(words.prefix(80))-\(String(digest, radix: 16))"
    }
}
