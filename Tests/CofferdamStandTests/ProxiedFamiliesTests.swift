#if TestStand
import Cofferdam
import CofferdamContracts
import CofferdamStand
import CofferdamTesting
import Testing

@Suite("The families of faults, writes and streams, a line each through a test proxy", .timeLimit(.minutes(2)))
struct ProxiedFamiliesTests {
    private typealias Subject = NoteSubject

    @Test("Faults of calls and streams")
    func faults() async throws {
        let operation = ErrorOperation<Subject>(
            calls: [
                FaultyCall(Subject.add, effect: .write, input: { _ in "a" }, operation: "add") { try $0.proxy() },
                FaultyCall(Subject.list, input: { _ in ListQuery(limit: 10) }, operation: "list") {
                    try $0.proxy()
                },
            ],
            streams: [FaultyCall(Subject.added, operation: "listen") { try $0.proxy() }],
            faultTable: [
                FaultExpectation(.reset, "lost", isRetryable: true),
                FaultExpectation(.emptyReply, "lost", isRetryable: true),
            ],
            decoding: "lost",
            modules: ["CofferdamStandTests"],
            read: { $0 is NotesError ? PortFailure(category: "lost", isRetryable: true) : nil },
            makeError: { _ in NotesError.lost },
            prepare: { _ in },
            secrets: { _ in ["secret"] }
        )
        let report = await run(operation.rules, only: ["ERR-01", "ERR-04", "ERR-06"], flaw: .leaksErrors)
        #expect(report.failures == ["ERR-01 leaksErrors", "ERR-04 leaksErrors"])
        #expect(report.passes == ["ERR-01 good", "ERR-04 good", "ERR-06 good", "ERR-06 leaksErrors"])
    }

    @Test("Writes, and what creates")
    func writes() async throws {
        let write = WriteOperation<Subject>(
            writes: [
                .init(
                    ProbedCall(AnyPortCall(Subject.add, with: "a"), isReading: false, operation: "add") {
                        try $0.proxy()
                    },
                    count: { $0.server.requests.count { $0 == "add a\n" } }
                )
            ],
            prepare: { _ in },
            outlast: { subject in
                try await subject.clock.waitForSleeper(for: .seconds(24)...(.seconds(30)))
                subject.clock.advance(by: .seconds(31))
            },
            close: { $0.notes.close() },
            isOutcomeUnknown: { $0 is NotesError },
            unreachable: NotesError.lost,
            proxy: { try $0.proxy() }
        )
        let create = CreateOperation<Subject, String, String, String>(
            call: Subject.add,
            list: Subject.list,
            id: { $0 },
            errors: CreateErrors(
                rejectedField: { _ in nil },
                isConflict: { _ in false },
                isOutcomeUnknown: { $0 is NotesError },
                notFound: NotesError.lost,
                unreachable: NotesError.lost
            ),
            vendor: CreateEvidence(operation: "add", strayFields: Subject.strayFields) { try $0.proxy() },
            prepare: { _ in },
            drafts: { _ in ["a", "b"] },
            shows: { $0 == $1 },
            rejected: { _ in [] },
            another: { $0 + "'" }
        )
        let judged: Set<RuleID> = ["MUT-06", "MUT-07", "MUT-08", "MUT-09"]
        let rules = Rule.each([("write", write.rules), ("create", create.rules)])
        let report = await run(rules, only: judged, flaw: .repeatsWrites)
        #expect(report.failures == ["MUT-06 repeatsWrites", "MUT-07 repeatsWrites", "MUT-09 repeatsWrites"])
        #expect(report.passes.filter { $0.hasSuffix("good") } == judged.map { "\($0) good" }.sorted())
    }

    @Test("Streams")
    func streams() async throws {
        let operation = StreamOperation<Subject, Int>(
            stream: Subject.added,
            vendor: StreamOperation.Vendor(
                operation: "listen",
                prepare: { _ in },
                send: { await $0.server.push("\($1)\n") },
                bytes: { incident in
                    switch incident {
                    case .heartbeat: Array("still here\n".utf8)
                    case .truncation: Array("12".utf8)
                    case .end, .loss: []
                    }
                },
                proxy: { try $0.proxy() }
            ),
            number: { $0 },
            endsInOrder: false,
            overflow: .init(bound: 1024, isError: { $0 is NotesError })
        )
        let judged: Set<RuleID> = ["STRM-01", "STRM-02", "STRM-03", "STRM-04", "STRM-09", "STRM-11"]
        let report = await run(operation.rules, only: judged, flaw: .endsQuietly)
        #expect(report.failures == ["STRM-03 endsQuietly"])
        #expect(report.passes.filter { $0.hasSuffix("good") } == judged.map { "\($0) good" }.sorted())
    }

    @Test("An adapter without a proxy is not judged, and fails nothing")
    func withoutProxy() async throws {
        let call = ProbedCall<Subject>(AnyPortCall(Subject.add, with: "a"), isReading: false, operation: "add") {
            try $0.proxy()
        }
        let faulty = FaultyCall<Subject>(Subject.add, input: { _ in "a" }, operation: "add") { try $0.proxy() }
        let rules =
            CancellationOperation<Subject>(
                calls: [call],
                prepare: { _ in },
                held: HeldCalls { try $0.proxy() },
                close: { $0.notes.close() },
                isClosed: { _ in false },
                isPortError: { $0 is NotesError },
                outlast: { _ in }
            ).rules
            + ErrorOperation<Subject>(
                calls: [faulty],
                faultTable: [FaultExpectation(.reset, "lost", isRetryable: true)],
                decoding: "lost",
                modules: [],
                read: { _ in nil },
                makeError: { _ in NotesError.lost },
                prepare: { _ in }
            ).rules
        let fake = AdapterUnderTest<Subject>(
            name: "fake",
            open: { try await NoteSubject.open(nil, hasProxy: false) }
        )
        let judged: Set<RuleID> = ["CANC-01", "CANC-02", "ERR-01", "ERR-04"]
        let report = await ContractRunner(rules: rules.filter { judged.contains($0.id) }, adapters: [fake]).run()
        #expect(report.rows.count == 4)
        for row in report.rows {
            #expect(row.outcome == .skipped, "\(row.rule): \(row.detail ?? "")")
            #expect(row.missingHarnessCapabilities == ["proxy"])
        }
    }

    /// Runs some rules on a good adapter and on one with a flaw.
    private func run(_ rules: [Rule<Subject>], only judged: Set<RuleID>, flaw: Notes.Flaw) async -> Outcomes {
        let adapters = [nil, flaw].map { flaw in
            AdapterUnderTest<Subject>(
                name: flaw.map { "\($0)" } ?? "good",
                open: { try await NoteSubject.open(flaw) },
                close: { await $0.end() }
            )
        }
        let report = await ContractRunner(rules: rules.filter { judged.contains($0.id) }, adapters: adapters).run()
        return Outcomes(report)
    }

    /// "ERR-01 good", sorted: what has failed, and what has passed with each operation.
    private struct Outcomes {
        var failures: [String]
        var passes: [String]

        init(_ report: ContractReport) {
            let all = Set(report.rows.map { "\($0.rule) \($0.adapter)" })
            let failed = Set(report.rows.filter(\.outcome.isFailure).map { "\($0.rule) \($0.adapter)" })
            failures = failed.sorted()
            passes = all.subtracting(failed).sorted()
        }
    }
}

private enum NotesError: Error { case lost }

/// An adapter with its vendor behind a proxy.
private struct NoteSubject: Sendable {
    var notes: Notes
    let clock: AdjustableClock
    let server: TinyServer
    private let behind: TestProxy?
    /// Replaced by mutants.
    var add: @Sendable (String) async throws -> String
    var list: @Sendable (ListQuery) async throws -> ListPage<String>
    var added: @Sendable () -> PortEvents<Int>
    var strayFields: @Sendable () async throws -> [String] = { [] }

    static func open(_ flaw: Notes.Flaw?, hasProxy: Bool = true) async throws -> NoteSubject {
        let server = try await TinyServer.lines()
        let proxy = hasProxy ? try await TestProxy.start(to: server.upstream, framing: LineFraming()) : nil
        let clock = AdjustableClock()
        let notes = Notes(port: proxy?.port ?? server.port, clock: clock, flaw: flaw)
        return NoteSubject(
            notes: notes,
            clock: clock,
            server: server,
            behind: proxy,
            add: { try await notes.add($0) },
            list: { _ in
                // The server keeps no notes: what has arrived is there.
                _ = try await notes.ask("list")
                let items = server.requests.filter { $0.hasPrefix("add ") }.map {
                    String($0.dropFirst(4).dropLast())
                }
                return ListPage(items: items, next: nil)
            },
            added: { notes.added() }
        )
    }

    func proxy() throws -> TestProxy {
        guard let behind else { throw UnmetRequirements(harnessCapabilities: ["proxy"]) }
        return behind
    }

    func end() async {
        notes.close()
        await behind?.close()
        do { try await server.close() } catch { Issue.record(error) }
    }

    static let add = PortCall<NoteSubject, String, String>(
        "add",
        get: \.add,
        replace: { with($0, \.add, $1) }
    )
    static let list = PortCall<NoteSubject, ListQuery, ListPage<String>>(
        "list",
        get: \.list,
        replace: { with($0, \.list, $1) }
    )
    static let strayFields = PortCall<NoteSubject, Void, [String]>(
        "stray fields",
        get: { subject in { (_: Void) in try await subject.strayFields() } },
        replace: { subject, perform in with(subject, \.strayFields, { try await perform(()) }) }
    )
    static let added = PortStream<NoteSubject, Int>(
        "added",
        get: { $0.added() },
        replace: { with($0, \.added, $1) }
    )

    private static func with<Value>(
        _ subject: NoteSubject,
        _ path: WritableKeyPath<NoteSubject, Value>,
        _ value: Value
    ) -> NoteSubject {
        var subject = subject
        subject[keyPath: path] = value
        return subject
    }
}

/// A vendor's SDK and its adapter in one: it opens a connection for each call.
private final class Notes: Sendable {
    enum Flaw { case leaksErrors, repeatsWrites, endsQuietly }

    private struct Lost: Error {}

    private let port: Int
    private let clock: AdjustableClock
    private let flaw: Flaw?
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let isClosed = Mutex(false)

    init(port: Int, clock: AdjustableClock, flaw: Flaw?) {
        self.port = port
        self.clock = clock
        self.flaw = flaw
    }

    func close() {
        isClosed.withLock { $0 = true }
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    func add(_ note: String) async throws -> String {
        do {
            return String(try await ask("add \(note)").dropFirst(8))
        } catch {
            guard flaw == .repeatsWrites, error is NotesError else { throw error }
            return String(try await ask("add \(note)").dropFirst(8))
        }
    }

    /// The answer's line.
    func ask(_ request: String) async throws -> String {
        let (done, finish) = AsyncThrowingStream<String, any Error>.makeStream()
        let task = Task(executorPreference: nil) {
            do {
                finish.yield(
                    try await withDeadline(.seconds(30), clock: self.clock) { try await self.exchange(request) }
                )
            } catch {
                let isCancelled = error is CancellationError && !self.isClosed.withLock { $0 }
                let isLeaked = error is Lost && self.flaw == .leaksErrors
                finish.finish(throwing: isCancelled || isLeaked ? error : NotesError.lost)
            }
        }
        tasks.withLock { $0.append(task) }
        return try await withTaskCancellationHandler {
            for try await line in done { return line }
            throw CancellationError()
        } onCancel: {
            task.cancel()
        }
    }

    private func exchange(_ request: String) async throws -> String {
        let client = try await TinyClient(port: port)
        try await client.send(request + "\n")
        var text = ""
        while !text.hasSuffix("\n"), case .bytes(let more) = await client.next() { text += more }
        // The server may already have closed it.
        try? await client.close()
        try Task.checkCancellation()
        guard text.hasSuffix("\n"), text.hasPrefix("re: ") else { throw Lost() }
        return String(text.dropLast())
    }

    func added() -> PortEvents<Int> {
        let buffer = EventBuffer<Int>()
        let events = buffer.events
        let task = Task(executorPreference: nil) { [port, flaw] in
            do {
                let client = try await TinyClient(port: port)
                try await client.send("listen notes\n")
                var text = ""
                while case .bytes(let more) = await client.next() {
                    text += more
                    while let end = text.firstIndex(of: "\n") {
                        if let number = Int(text[..<end]) { buffer.send(number, overflow: { NotesError.lost }) }
                        text = String(text[text.index(after: end)...])
                    }
                }
                try? await client.close()
                buffer.finish(throwing: flaw == .endsQuietly ? nil : NotesError.lost)
            } catch {
                buffer.finish(throwing: NotesError.lost)
            }
        }
        buffer.onTermination { task.cancel() }
        return events
    }
}
#endif
