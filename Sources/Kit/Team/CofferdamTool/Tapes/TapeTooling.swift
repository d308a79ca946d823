public import CofferdamContracts  // its operations describe calls

/// What `tapes` works with: the calls to record on one adapter and to repeat on another.
public struct TapeTooling<Subject: Sendable>: Sendable {
    let calls: [TapedCall<Subject>]
    let errors: (any TapeErrorRecord.Type)?
    let known: [DriftKnowledge]
    let isIsolated: Bool
    let prepare: @Sendable (Subject) async throws -> TapeRedaction

    /// - Parameters:
    ///   - calls: reads, streams and, if the adapters are isolated, writes, in the order in which they are made.
    ///   - errors: how the ports' errors are written on a tape; by default as their type's name and their text.
    ///   - known: the differences that are expected between the adapters: the call by its name on the tape, the path from
    ///     `result` or `error` on, with "[*]" for the elements of lists: "result.items[*].legs".
    ///   - isIsolated: whether each adapter opens its own world, such as a server that the harness starts, which
    ///     nothing else uses and its reset empties. Only then are calls that change something recorded and repeated.
    ///   - prepare: prepares an open subject for the calls, for example by signing in, which is not recorded. Returns
    ///     what must not be written on a tape, including the session's secrets. A secret has the same name with every
    ///     adapter.
    public init(
        calls: [TapedCall<Subject>],
        errors: (any TapeErrorRecord.Type)? = nil,
        known: [DriftKnowledge] = [],
        isIsolated: Bool = false,
        prepare: @escaping @Sendable (Subject) async throws -> TapeRedaction = { _ in TapeRedaction() }
    ) {
        self.calls = calls
        self.errors = errors
        self.known = known
        self.isIsolated = isIsolated
        self.prepare = prepare
    }
}

/// A tool's tapes, independent of the type of its subjects.
struct TapeRunner: Sendable {
    let adapters: [String]
    /// The operations' names, each once, in the order of the calls.
    let calls: [String]
    let known: [DriftKnowledge]
    /// Records the calls of the named operations on the adapter with that name.
    let record: @Sendable (_ adapter: String, _ calls: Set<String>?, _ progress: ToolProgress) async throws -> Tape
    /// Repeats a tape's calls on the adapter with that name.
    let compare: @Sendable (_ tape: Tape, _ adapter: String, _ progress: ToolProgress) async throws -> DriftReport

    init<Subject: Sendable>(_ tooling: TapeTooling<Subject>, adapters: [AdapterUnderTest<Subject>]) {
        let comparison = TapeComparison(tooling.calls, errors: tooling.errors, isIsolated: tooling.isIsolated)
        self.adapters = adapters.map(\.name)
        calls = tooling.calls.map(\.name).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        known = tooling.known

        @Sendable func use<Value: Sendable>(
            _ name: String,
            _ progress: ToolProgress,
            _ body: (Subject, TapeRedaction) async throws -> Value
        ) async throws -> Value {
            guard let adapter = adapters.first(where: { $0.name == name }) else {
                throw UnknownSelection(kind: "adapter", name: name, known: adapters.map(\.name).sorted())
            }
            progress.show("\(name): opening")
            let subject = try await adapter.open()
            do {
                try await adapter.reset(subject)
                let value = try await body(subject, try await tooling.prepare(subject))
                await adapter.close(subject)
                return value
            } catch {
                await adapter.close(subject)
                throw error
            }
        }
        record = { adapter, names, progress in
            try await use(adapter, progress) { subject, redaction in
                // Records in CI as well, because the tape is not a test fixture but one build's evidence for the other.
                let recorder = try TapeRecorder(adapter, redaction: redaction, environment: [:])
                try await comparison.record(subject, names, on: recorder) { progress.show("\(adapter): \($0)") }
                return try recorder.finish()
            }
        }
        compare = { tape, adapter, progress in
            try await use(adapter, progress) { subject, redaction in
                let calls = try await comparison.repeatCalls(of: tape, on: subject, redaction: redaction) {
                    progress.show("\(adapter): \($0)")
                }
                return DriftReport(of: calls, recordedBy: tape.title, madeOn: adapter, knowing: tooling.known)
            }
        }
    }
}

extension DriftReport {
    fileprivate init<Subject>(
        of calls: [TapeComparison<Subject>.Call],
        recordedBy legacy: String,
        madeOn candidate: String,
        knowing known: [DriftKnowledge]
    ) {
        self.init(legacy: legacy, candidate: candidate)
        let known = known.flatMap(\.drifts)
        let names = calls.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        for name in names {
            let made = calls.filter { $0.name == name }
            add(call: name, compared: made.count, made.flatMap(\.differences), knowing: known)
        }
    }
}
