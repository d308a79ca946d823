package import Cofferdam  // for Difference

/// Records the calls of one adapter, and repeats them on another.
package struct TapeComparison<Subject: Sendable>: Sendable {
    private let calls: [TapedCall<Subject>]
    private let errors: (any TapeErrorRecord.Type)?
    private let isIsolated: Bool

    /// - Parameters:
    ///   - errors: how the ports' errors are recorded.
    ///   - isIsolated: whether each adapter has its own world, in which calls may change something.
    package init(_ calls: [TapedCall<Subject>], errors: (any TapeErrorRecord.Type)?, isIsolated: Bool) {
        self.calls = calls
        self.errors = errors
        self.isIsolated = isIsolated
    }

    /// Why a call that changes something is not made; nil if it is.
    private var obstacleToWriting: String? {
        isIsolated ? nil : "it changes something, and the adapters are not described as isolated"
    }

    /// One call of the tape, made on the other adapter.
    package struct Call: Sendable, Hashable {
        package var name: String
        package var differences: [Difference]
    }

    /// Makes the described calls one after the other.
    ///
    /// - Parameters:
    ///   - names: the operations to call; nil for all.
    ///   - recorder: a recorder that is not finished yet.
    /// - Throws: `TapeError` with `unrecordable` for an operation that is not recorded, or that changes something
    ///   although the adapter does not have its own world.
    package func record(
        _ subject: Subject,
        _ names: Set<String>?,
        on recorder: TapeRecorder,
        onBegin: (String) -> Void
    ) async throws {
        for call in calls where names?.contains(call.name) ?? true {
            let obstacle = call.obstacle ?? (call.writes ? obstacleToWriting : nil)
            if let obstacle { throw TapeError(.unrecordable, obstacle, subject: call.name) }
            onBegin(call.name)
            try await call.record(subject, recorder, errors)
        }
    }

    /// Makes the tape's calls in their order, and compares what they return or throw. A call that cannot be made counts
    /// as a difference, because nothing was compared.
    ///
    /// - Throws: `TapeError` with `secret` if the tape was recorded with a secret that `redaction` does not name, or if
    ///   an answer contains a secret in a form that is not redacted.
    package func repeatCalls(
        of tape: Tape,
        on subject: Subject,
        redaction: TapeRedaction,
        onBegin: (String) -> Void
    ) async throws -> [Call] {
        let redaction = try redaction.joined(by: tape)
        var cursors = TapeCursors()
        var made: [Call] = []
        for entry in tape.entries {
            onBegin(entry.operation)
            let repeated = try await makeAgain(entry, subject, redaction, &cursors)
            made.append(Call(name: entry.operation, differences: repeated.differences(of: entry)))
        }
        return made
    }

    private func makeAgain(
        _ entry: TapeEntry,
        _ subject: Subject,
        _ redaction: TapeRedaction,
        _ cursors: inout TapeCursors
    ) async throws -> RepeatedCall {
        if entry.kind == .write, let obstacleToWriting { return .notMade(obstacleToWriting) }
        let isStream = entry.items != nil
        if entry.outcome == .cancelled, !isStream { return .notMade("it was cancelled") }
        var repeated = RepeatedCall.notMade("it is not described")
        for call in calls where call.name == entry.operation {
            if let obstacle = call.obstacle { return .notMade(obstacle) }
            // A tape may be older than the table of operations.
            if call.writes, let obstacleToWriting { return .notMade(obstacleToWriting) }
            guard call.isStream == isStream else {
                repeated = .notMade(isStream ? "it is a stream" : "it is not a stream")
                continue
            }
            repeated = try await call.makeAgain(entry, subject, redaction, errors, &cursors)
            guard case .notMade = repeated else { break }
        }
        return repeated
    }
}

extension RepeatedCall {
    fileprivate func differences(of entry: TapeEntry) -> [Difference] {
        func whole(_ recorded: String, _ called: String) -> [Difference] {
            [Difference(subject: entry.arguments.subject, path: "(call)", legacy: recorded, candidate: called)]
        }
        switch self {
        case .differences(let differences):
            return differences.map { difference in
                let ids = difference.path.components.filter { $0.hasPrefix("[") }.map {
                    String($0.dropFirst().dropLast())
                }
                return Difference(
                    subject: ([entry.arguments.subject] + ids).filter { !$0.isEmpty }.joined(separator: ", "),
                    path: "\(TapePath(difference.path.components.map { $0.hasPrefix("[") ? "[*]" : $0 }))",
                    legacy: difference.recorded,
                    candidate: difference.called
                )
            }
        case .otherOutcome(let recorded, let called): return whole(recorded, called)
        case .notMade(let reason): return whole(entry.outcome.words, "not called: \(reason)")
        }
    }
}

extension TapeValue {
    /// The arguments that are present, for people: "group: fish, limit: 10".
    fileprivate var subject: String {
        guard case .object(let arguments) = self else { return "" }
        let text = arguments.filter { $0.value != .null }.sorted { $0.key < $1.key }.map { name, value in
            if case .text(let text) = value { "\(name): \(text)" } else { "\(name): \(value.summary)" }
        }
        return text.joined(separator: ", ")
    }
}
