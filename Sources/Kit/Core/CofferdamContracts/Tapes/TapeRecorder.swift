public import Cofferdam  // for TapeError

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Records calls over ports on a tape.
///
/// Recording never changes what the caller sees: ``finish()`` reports what cannot be recorded. Everything is redacted
/// before it is kept.
public final class TapeRecorder: Sendable {
    private struct State {
        var entries: [TapeEntry] = []
        /// The calls and streams that are in progress.
        var open: Set<Int> = []
        var problems: [TapeError] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let title: String
    private let redaction: TapeRedaction
    private let elapsed: @Sendable () -> Int64

    /// Starts a recording.
    ///
    /// - Parameters:
    ///   - title: what the tape belongs to, such as a test and its case.
    ///   - clock: measures when calls began, how long they took, and when items arrived.
    ///   - environment: the environment's variables; by default the process's.
    /// - Throws: `TapeError` with `forbidden` if the variable `CI` is set: a tape that has not been reviewed proves
    ///   nothing.
    public init(
        _ title: String = "",
        redaction: TapeRedaction = TapeRedaction(),
        clock: any Clock<Duration> = ContinuousClock(),
        environment: [String: String]? = nil
    ) throws(TapeError) {
        let value = (environment ?? ProcessInfo.processInfo.environment)["CI"] ?? ""
        guard ["", "0", "false"].contains(value.lowercased()) else {
            throw TapeError(.forbidden, "no tape is recorded in CI", subject: title)
        }
        self.title = title
        self.redaction = redaction
        elapsed = Self.stopwatch(clock)
    }

    /// Returns a port that records calls that are in no table, such as those of a test's harness. For a port with a
    /// table, use ``interceptor(of:errors:)``.
    ///
    /// - Parameter errors: how the port's errors are recorded.
    public func port<Port: Sendable>(
        _ port: Port,
        errors: (any TapeErrorRecord.Type)? = nil
    ) -> TapedPort<Port> {
        TapedPort(.recording(self, port), errors: errors)
    }

    /// Ends the recording. Calls and streams that are still in progress are recorded as cancelled.
    ///
    /// - Throws: `TapeError` with `unrecordable` for the first call that could not be recorded; `secret`, naming the
    ///   secret, if the finished tape contains a known one.
    public func finish() throws(TapeError) -> Tape {
        let end = elapsed()
        let (entries, problem) = state.withLock { state in
            if !state.isFinished {
                for index in state.open { state.entries[index].took = end - state.entries[index].start }
            }
            state.isFinished = true
            state.open = []
            return (state.entries, state.problems.first)
        }
        if let problem { throw problem }
        let tape = Tape(title: redaction.apply(to: title), redaction: redaction.summary, entries: entries)
        if !redaction.secrets.isEmpty {
            let document = SearchedText(try tape.json())
            for secret in redaction.secrets where secret.isFound(in: document) {
                let text = "the tape contains a known secret in some form: redact the field that contains it"
                throw TapeError(.secret, text, subject: secret.name)
            }
        }
        return tape
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Int64 {
        let start = clock.now
        return { start.duration(to: clock.now).microseconds }
    }
}

extension TapeRecorder {
    /// Returns the arguments' value on the tape; nil if they cannot be recorded.
    func recordable(_ arguments: TapeArguments, of operation: String) -> TapeValue? {
        record(operation, "arguments") { try redaction.apply(to: arguments, at: $0) }
    }

    /// Begins an entry and returns its number; nil if the recording is over.
    func begin(_ operation: String, _ kind: TapeCallKind, _ arguments: TapeValue, isStream: Bool) -> Int? {
        let entry = TapeEntry(
            operation: redaction.apply(to: operation),
            kind: kind,
            arguments: arguments,
            start: elapsed(),
            took: 0,
            items: isStream ? [] : nil,
            outcome: .cancelled
        )
        return state.withLock { state in
            guard !state.isFinished else { return nil }
            state.entries.append(entry)
            state.open.insert(state.entries.count - 1)
            return state.entries.count - 1
        }
    }

    func add<Record: TapeRecord>(_ item: Record, to number: Int, of operation: String) {
        let now = elapsed()
        guard let value = recordable(item, operation, "items") else { return }
        state.withLock { state in
            guard state.open.contains(number) else { return }
            let at = now - state.entries[number].start
            state.entries[number].items?.append(TapeItem(at: at, value: value))
        }
    }

    func end<Record: TapeRecord>(_ number: Int, of operation: String, returning result: Record) {
        guard let value = recordable(result, operation, "result") else { return }
        end(number, .returned(value))
    }

    func end(_ number: Int, of operation: String, throwing error: any Error, _ records: (any TapeErrorRecord.Type)?) {
        if error is CancellationError { return end(number, .cancelled) }
        var failure = TapeFailure(type: String(describing: Swift.type(of: error)))
        if let record = records?.init(error) {
            guard let value = recordable(record, of: operation) else { return }
            failure.record = value
        } else {
            failure.text = redaction.apply(to: "\(error)")
        }
        end(number, .failed(failure))
    }

    /// Returns the record's value on the tape; nil if it could not be read back.
    private func recordable<Record: TapeRecord>(_ record: Record, _ operation: String, _ what: String) -> TapeValue? {
        self.record(operation, what) { path in
            let value = try redaction.apply(to: record, at: path)
            _ = try value.decode(Record.self).value
            return value
        }
    }

    private func recordable<Record: TapeErrorRecord>(_ record: Record, of operation: String) -> TapeValue? {
        self.record(operation, "error") { path in
            let value = try redaction.apply(to: record, at: path)
            _ = try value.decode(Record.self)
            return value
        }
    }

    private func record(_ operation: String, _ what: String, _ body: (TapePath) throws -> TapeValue) -> TapeValue? {
        let path = TapePath(operation, what)
        do { return try body(path) } catch {
            let text = (error as? DecodingError)?.whatAndWhere ?? "\(error)"
            let problem = TapeError(
                .unrecordable,
                "cannot be recorded so that it can be read back: \(redaction.apply(to: text))",
                subject: redaction.apply(to: path.description)
            )
            state.withLock { $0.problems.append(problem) }
            return nil
        }
    }

    private func end(_ number: Int, _ outcome: TapeOutcome) {
        let now = elapsed()
        state.withLock { state in
            guard state.open.remove(number) != nil else { return }
            state.entries[number].took = now - state.entries[number].start
            state.entries[number].outcome = outcome
        }
    }
}

extension Duration {
    /// Whole microseconds, clamped to the type's range.
    var microseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }
}
