#if CommandLine && (os(macOS) || os(Linux))
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamContracts
import Foundation
import Testing

@testable import CofferdamTool

/// Checks workers with a shell instead of the tool: how they end and what they answer.
@Suite(.timeLimit(.minutes(5))) struct WorkerTests {
    private let id = ContractReport.Case(rule: "kv/KV-01", operation: "read", adapter: "v1")

    private func pool(
        _ script: String,
        in place: WorkerPlace = WorkerPlace(),
        isReusing: Bool = true
    ) -> WorkerPool {
        WorkerPool(path: "/bin/sh", ["-c", script, "sh"], in: place, isReusing: isReusing)
    }

    /// Returns a script that answers every request with that outcome; the row's detail is its process id.
    private func answering(_ outcome: ContractReport.Outcome) throws -> String {
        let row = try WorkerLine.text(Fixture.row("kv/KV-01", "v1", outcome, "PID"))
        return "while read line <&3; do echo noise; echo '\(row)' | sed \"s/PID/$$/\" >&3; done"
    }

    /// Runs one passing rule in the script's process.
    private func row(_ script: String) async -> ContractReport.Row? {
        await ContractRunner(
            rules: [Rule<Fixture.Subject>("kv/KV-01", "t") { _, _ in [] }],
            adapters: [Fixture.adapter("v1")],
            isolation: CaseIsolation(.whatMayTrap, asking: pool(script))
        ).run().rows.first
    }

    private func ask(_ pool: WorkerPool, about adapter: String = "v1") async throws -> ContractReport.Row {
        try await pool.ask(id, about: adapter, within: .seconds(60))
    }

    @Test func `the row is the process's answer, whatever else it prints`() async throws {
        let row = await row(try answering(.failed))
        #expect(row?.outcome == .failed)
    }

    @Test func `an adapter that depends on the time zone, the language or the directory fails in a foreign place`()
        async throws
    {
        let home = WorkerPlace(variables: ["TZ": "UTC", "LANG": "C", "LC_ALL": "C"], directory: "/tmp")
        let hour = "$(date -d @0 +%H:%M 2>/dev/null || date -r 0 +%H:%M)"
        for dependence in ["\"\(hour)\" = 00:00", "\"$LANG $LC_ALL\" = 'C C'", "\"$(basename \"$PWD\")\" = tmp"] {
            let (passed, failed) = try (answering(.passed), answering(.failed))
            let script = "if [ \(dependence) ]; then \(passed); else \(failed); fi"
            #expect(try await ask(pool(script, in: home)).outcome == .passed, "\(dependence)")
            #expect(try await ask(pool(script, in: .foreign)).outcome == .failed, "\(dependence)")
        }
    }

    @Test func `a process is asked again, about the same adapter`() async throws {
        let pool = pool(try answering(.passed))
        let first = try await ask(pool)
        #expect(try await ask(pool).detail == first.detail)
        #expect(try await ask(pool, about: "v2").detail != first.detail)
    }

    @Test func `with a separate process for each case, none is asked twice`() async throws {
        let pool = pool(try answering(.passed), isReusing: false)
        #expect(try await ask(pool).detail != ask(pool).detail)
    }

    @Test
    func `a process ended by a signal has crashed, with Swift's reason, and the next case gets a new one`()
        async throws
    {
        let script =
            "read line <&3; echo 'start' >&2; echo 'x.swift:1: Fatal error: index out of range' >&2; kill -TRAP $$"
        let row = await row(script)
        #expect(row?.outcome == .crashed)
        #expect(row?.detail == "signal 5 ended its process: x.swift:1: Fatal error: index out of range")
        let pool = pool(script)
        for _ in 1...2 { await #expect(throws: ProcessEnded.self) { try await ask(pool) } }
    }

    @Test(arguments: ["exit 70", "echo '{}' >&3", "echo nonsense >&3; sleep 600"])
    func `a process that ends without a row, or answers something else, does not pass`(_ script: String) async {
        let row = await row("read line <&3; \(script)")
        #expect(row?.outcome == .crashed)
        #expect(row?.detail?.contains("its process") == true)
    }

    @Test func `a process that does not answer is ended, with all that it has started`() async throws {
        let worker = try WorkerProcess("/bin/sh", ["-c", "sleep 600 & sleep 600"])
        await #expect(throws: ProcessOverdue.self) { try await worker.next(within: .milliseconds(50)) }
        let pool = pool("sleep 600")
        await #expect(throws: ProcessOverdue.self) {
            let _: ContractReport.Row = try await pool.ask(id, about: "v1", within: .milliseconds(50))
        }
    }

    @Test func `a process that is no longer needed notices that, and ends by itself`() async throws {
        let worker = try WorkerProcess("/bin/sh", ["-c", "while read line <&3; do echo $line >&3; done; exit 7"])
        worker.send("hello")
        #expect(try await worker.next() == "hello")
        worker.release()
        let end = await #expect(throws: ProcessEnded.self) { try await worker.next() }
        #expect(end?.isCrash == false)
        #expect(end?.description.hasPrefix("its process ended with code 7") == true)
    }

    @Test func `a cancelled request ends its process`() async throws {
        let worker = try WorkerProcess("/bin/sh", ["-c", "echo ready >&3; sleep 600"])
        #expect(try await worker.next() == "ready")
        let waiting = Task(executorPreference: nil) { try await worker.next() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `a missing program does not pass`() async {
        let pool = WorkerPool(path: "/nonexistent/tool", [], isReusing: true)
        let error = await #expect(throws: NotStarted.self) { try await ask(pool) }
        #expect(error?.description == "/nonexistent/tool was not started: No such file or directory")
    }

    @Test func `a mutant's process that dies is distinguished from one that ends`() async throws {
        let line = #"{"rule":"LIST-01","mutant":"drops","outcome":"survived"}"#
        let outcomes: [(String, MutationOutcome)] = [
            ("kill -ILL $$", .crashed), ("exit 64", .notJudged), ("echo '\(line)' >&3", .survived),
        ]
        for (script, outcome) in outcomes {
            let isolation = MutantIsolation(.everything, asking: pool("read line <&3; \(script)", isReusing: false))
            let runner = MutationRunner(rules: Fixture.rules, adapter: Fixture.adapter("v1"), isolation: isolation)
            #expect(await runner.run(Fixture.dropping).outcome == outcome)
        }
    }

    @Test func `a run is isolated as the options say`() throws {
        for (options, isRefused) in [([], false), (["--isolate"], false), (["--isolate", "--in-process"], true)] {
            let isParsed = (try? RootCommand<ToyTool>.parseAsRoot(["contracts"] + options)) != nil
            #expect(isParsed != isRefused)
        }
        let worker = try RootCommand<ToyTool>.parseAsRoot(["worker", "mutants", "--patience", "9"])
        #expect((worker as? WorkerCommand<ToyTool>)?.kind == .mutants)
        #expect(!RootCommand<ToyTool>.helpMessage().contains("worker"))
    }
}

#if os(Linux)
/// Checks the tool's real worker: the tests' own process, started again for ``ToyWorker``.
@Suite(.timeLimit(.minutes(5))) struct ToyTests {
    private func pool(_ arguments: [String]) -> WorkerPool {
        WorkerPool(
            path: "/proc/self/exe",
            ["--testing-library", "swift-testing", "--filter", "ToyWorker"],
            in: WorkerPlace(variables: [ToyWorker.variable: arguments.joined(separator: " ")]),
            isReusing: true
        )
    }

    @Test func `a vendor's trap is a row, and the other cases are judged`() async throws {
        let tooling = try await ToyTool.tooling()
        var options = ContractOptions.here(
            isolation: CaseIsolation(.whatMayTrap, asking: pool(["worker", "contracts"]))
        )
        let lines = Mutex<[String]>([])
        let progress = ToolProgress(tell: { line in lines.withLock { $0.append(line) } }, { _ in })
        let report = await tooling.runContracts(ContractSelection(all: tooling), options, progress)
        #expect(report.rows.map(\.outcome) == [.passed, .crashed, .failed, .passed, .passed, .passed])
        let trap = try #require(report.rows.dropFirst().first)
        #expect(trap.detail?.hasPrefix("signal ") == true)
        #expect(trap.detail?.contains("Fatal error: the vendor has no such thing") == true)
        #expect(report.rows[2].detail == "kept: 1")
        #expect(lines.withLock { $0 }.contains { $0.contains("toy/TOY-02 on vendor") })
        options.failsFast = true
        let stopped = await tooling.runContracts(ContractSelection(all: tooling), options, progress)
        #expect(stopped.rows.map(\.outcome) == [.passed, .crashed])
        #expect(stopped.stop == "toy/TOY-02 on vendor failed, and 4 cases were left")
    }

    @Test func `a mutant that declares a trap is killed by it`() async throws {
        let tooling = try await ToyTool.tooling()
        let mutants = try #require(tooling.mutants)
        let isolation = MutantIsolation(.whatMayTrap, asking: pool(["worker", "mutants"]))
        let report = await mutants.run(MutantSelection(), isolation, MutantOptions(), ToolProgress { _ in })
        #expect(report.rows.map(\.outcome) == [.killed])
        #expect(report.rows.first?.detail?.contains("Fatal error: the vendor has no such thing") == true)
    }
}

@Suite struct ToyWorker {
    static let variable = "COFFERDAM_TOY_WORKER"

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func `works for its parent`() async throws {
        let arguments = try #require(ProcessInfo.processInfo.environment[Self.variable])
        var command = try RootCommand<ToyTool>.parseAsRoot(arguments.split(separator: " ").map(String.init))
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}
#endif

/// A vendor that stores texts, and traps if one is missing.
private final class ToyVendor: Sendable {
    private let texts = Mutex<[String: String]>([:])

    func put(_ text: String, at key: String) { texts.withLock { $0[key] = text } }

    func text(at key: String) -> String {
        guard let text = texts.withLock({ $0[key] }) else { preconditionFailure("the vendor has no such thing") }
        return text
    }
}

struct ToyStorage: Sendable {
    let text: @Sendable (String) -> String?
    let put: @Sendable (String, String) -> Void
}

/// The number of the vendor's subjects that this process has opened.
private let opened = Mutex(0)

enum ToyTool: TeamTool {
    static let name = "toy"

    static let rules: [Rule<ToyStorage>] = [
        Rule("toy/TOY-01", "A text that was put is found") { storage, _ in
            storage.put("hello", "greeting")
            return storage.text("greeting") == "hello" ? [] : [Violation("it is not")]
        },
        Rule("toy/TOY-02", "A key without a text has none") { storage, _ in
            storage.text("nothing").map { [Violation("it has \($0)")] } ?? []
        },
        Rule("toy/TOY-03", "Its process is a new one after the trap") { storage, _ in
            storage.put("kept", "count")
            guard let count = storage.text("count"), count != "kept" else { return [] }
            return [Violation("kept: \(count)")]
        },
    ]

    static func tooling() async throws -> Tooling {
        Tooling(
            rules: rules,
            adapters: [
                AdapterUnderTest(name: "vendor") {
                    let vendor = ToyVendor()
                    let number = opened.withLock { count in
                        count += 1
                        return count
                    }
                    return ToyStorage(
                        text: { $0 == "count" ? "\(number)" : vendor.text(at: $0) },
                        put: { vendor.put($0, at: $1) }
                    )
                },
                fake,
            ],
            mutants: [
                Mutant("toy/TOY-02", "asks the vendor", crashes: true) { clean, effect in
                    let vendor = ToyVendor()
                    return ToyStorage(
                        text: { key in
                            effect.occurred()
                            return vendor.text(at: key)
                        },
                        put: clean.put
                    )
                }
            ]
        )
    }

    static var fake: AdapterUnderTest<ToyStorage> {
        AdapterUnderTest(name: "fake", identity: AdapterIdentity(.fake)) {
            let texts = TextTable()
            return ToyStorage(text: { texts.read($0) }, put: { texts.put($0, at: $1) })
        }
    }
}

private final class TextTable: Sendable {
    private let texts = Mutex<[String: String]>([:])
    func put(_ text: String, at key: String) { texts.withLock { $0[key] = text } }
    func read(_ key: String) -> String? { texts.withLock { $0[key] } }
}
#endif
