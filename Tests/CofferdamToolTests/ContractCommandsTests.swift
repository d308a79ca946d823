#if CommandLine
import CofferdamContracts
import CofferdamTesting
import Foundation
import Testing
import TestSupport

@testable import CofferdamTool

/// Checks the contract's commands: their exit codes and the files that they write.
@Suite struct ContractCommandsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)")

    private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    @Test func `mutants ends with 0 if every rule of level M kills a mutant, and writes the rows`() async throws {
        defer { removeFolder(folder.path) }
        #expect(await ["mutants", "--json", "--output", path("a/mutants.json")].exitCode(of: SoundTool.self) == 0)
        let report = try OutputFile.read(MutationReport.self, from: path("a/mutants.json"))
        #expect(report.rows.map(\.outcome) == [.killed])
        #expect(report.rows.map(\.rule) == ["LIST-01"])
        #expect(await ["mutants", "--output", path("b.json")].exitCode(of: WeakTool.self) == 1)
        #expect(try OutputFile.read(MutationReport.self, from: path("b.json")).rows.map(\.outcome) == [.noEffect])
    }

    @Test func `contracts --coverage ends with 1 if an operation has neither rules nor a reason`() async {
        #expect(await ["contracts", "--coverage"].exitCode(of: SoundTool.self) == 0)
        #expect(await ["contracts", "--coverage", "--json"].exitCode(of: UncoveredTool.self) == 1)
    }

    @Test(arguments: [["--in-process"], ["--adapter", "v1=/bin/false"], []])
    func `contracts --environment needs child processes of this build`(_ others: [String]) async {
        #expect(await (["contracts", "--environment"] + others).exitCode(of: SoundTool.self) == 64)
    }

    @Test func `a run of some mutants writes nothing, and one of no mutants is not green`() async throws {
        defer { removeFolder(folder.path) }
        let part = ["mutants", "--rule", "list-01", "--json", "--output", path("m.json")]
        #expect(await part.exitCode(of: SoundTool.self) == 0)
        #expect(!FileManager.default.fileExists(atPath: path("m.json")))
        #expect(await ["mutants", "--rule", "GET-08", "--json"].exitCode(of: SoundTool.self) == 1)
        #expect(await ["mutants", "--rule", "AUTH-99"].exitCode(of: SoundTool.self) == 64)
        #expect(await ["mutants"].exitCode(of: MutantlessTool.self) == 64)
    }

    @Test func `can-upgrade ends with 0 for yes, 1 for no, 2 for unknown`() async {
        #expect(await ["can-upgrade", "--json"].exitCode(of: SoundTool.self) == 0)
        #expect(await ["can-upgrade", "--from", "v2", "--to", "v1"].exitCode(of: SoundTool.self) == 1)
        #expect(await ["can-upgrade"].exitCode(of: UnversionedTool.self) == 2)
    }

    @Test(arguments: [["--from", "v9"], ["--from", "v1", "--to", "v1"], ["--days", "-1"]])
    func `can-upgrade refuses arguments that make no sense`(_ arguments: [String]) async {
        #expect(await (["can-upgrade"] + arguments).exitCode(of: SoundTool.self) == 64)
    }

    @Test func `can-upgrade reads a run, and recognizes one of another contract`() async throws {
        defer { removeFolder(folder.path) }
        let run = path("run.json")
        #expect(await ["contracts", "--json", "--report", "json=\(run)"].exitCode(of: SoundTool.self) == 0)
        #expect(await ["can-upgrade", "--run", run, "--json"].exitCode(of: SoundTool.self) == 0)
        #expect(await ["can-upgrade", "--run", run, "--json"].exitCode(of: GrownTool.self) == 2)
        #expect(await ["can-upgrade", "--run", path("none.json")].exitCode(of: SoundTool.self) == 70)
        try OutputFile.write([UInt8]("{}".utf8), to: run)
        #expect(try text("run.json") == "{}")
        #expect(await ["can-upgrade", "--run", run].exitCode(of: SoundTool.self) == 70)
    }

    @Test func `contracts writes every format`() async throws {
        defer { removeFolder(folder.path) }
        let formats = ["text", "json", "junit", "markdown", "html", "timings"]
        let reports = formats.flatMap { ["--report", "\($0)=\(path("r/" + $0))"] }
        #expect(await (["contracts", "--json"] + reports).exitCode(of: SoundTool.self) == 0)
        for (format, part) in zip(
            formats,
            [
                "contracts: 5 passed, 1 skipped", "\"digest\"", "<testsuites", "May we upgrade? **yes**",
                "May we upgrade?", "\"secondsInCases\"",
            ]
        ) {
            #expect(try text("r/" + format).contains(part), "\(format)")
        }
    }

    @Test func `--fail-fast ends with 1 after the first case that fails, and says how many were left`() async throws {
        defer { removeFolder(folder.path) }
        let reports = ["--report", "text=\(path("t"))", "--report", "json=\(path("j"))"]
        #expect(await (["contracts", "--json", "--fail-fast"] + reports).exitCode(of: FailingTool.self) == 1)
        let report = try OutputFile.read(ContractReport.self, from: path("j"))
        #expect(report.rows.map { "\($0.id): \($0.outcome)" } == ["LIST-01 on v1: failed"])
        #expect(report.stop == "LIST-01 on v1 failed, and 3 cases were left")
        #expect(try text("t").contains("✗ failed  LIST-01  v1       item 3 is missing\n"))
        #expect(
            try text("t").contains("the run is incomplete: LIST-01 on v1 failed, and 3 cases were left\n")
        )
        // The known failure on v1 does not end the run; the unknown one on v2 does.
        let known = ["contracts", "--json", "--fail-fast", "--report", "json=\(path("k"))"]
        #expect(await known.exitCode(of: KnownFailingTool.self) == 1)
        let knowing = try OutputFile.read(ContractReport.self, from: path("k"))
        #expect(knowing.rows.map { "\($0.id)" } == ["LIST-01 on v1", "AUTH-01 on v1", "LIST-01 on v2"])
        #expect(knowing.stop == "LIST-01 on v2 failed, and 1 case was left")
        // Without `--fail-fast`, the run completes.
        #expect(await (["contracts", "--json"] + reports).exitCode(of: FailingTool.self) == 1)
        #expect(try OutputFile.read(ContractReport.self, from: path("j")).rows.count == 4)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)])
    func `a run ended by a signal writes what it knows, and exits with the code that shells expect`(
        signal: Int32,
        code: Int32
    )
        async throws
    {
        defer { removeFolder(folder.path) }
        let files = ["--report", "text=\(path("t"))", "--report", "json=\(path("j"))", "--certificate", path("c")]
        let interruption = Interruption()
        let hanging = TestGate()
        let ended = Task {
            await Interruption.$current.withValue(interruption) {
                await HangingTool.$gate.withValue(hanging) {
                    await (["contracts", "--json"] + files).exitCode(of: HangingTool.self)
                }
            }
        }
        await until { hanging.arrivals == 1 }
        interruption.receive(signal)
        ended.cancel()
        #expect(await ended.value == code)
        let report = try OutputFile.read(ContractReport.self, from: path("j"))
        #expect(report.rows.map { "\($0.id): \($0.outcome)" } == ["LIST-01 on v1: passed"])
        #expect(report.stop == "it was interrupted, and 3 cases were left")
        #expect(!report.isGreen)
        #expect(try text("t").contains("the run is incomplete: it was interrupted, and 3 cases were left\n"))
        #expect(try text("t").hasSuffix("contracts: 1 passed\n"))
        #expect(!FileManager.default.fileExists(atPath: path("c")))
    }

    @Test(arguments: ["pdf=x", "html", "html=", "=x", ""])
    func `an unknown report format is a usage error`(_ report: String) async {
        #expect(await ["contracts", "--report", report].exitCode(of: SoundTool.self) == 64)
    }

    @Test func `a report that cannot be written is an error`() async {
        #expect(await ["contracts", "--json", "--report", "json=/dev/null/x"].exitCode(of: SoundTool.self) == 70)
    }

    @Test func `a certificate is kept until a later run earns a new one`() async throws {
        defer { removeFolder(folder.path) }
        let certificate = ["contracts", "--json", "--certificate", path("c.json")]
        #expect(await certificate.exitCode(of: SoundTool.self) == 0)
        let first = try OutputFile.read([Certification].self, from: path("c.json"))
        #expect(first.map(\.fake) == ["fake"])
        #expect(first.map(\.live) == [["v1", "v2"]])
        #expect(first.first?.digest.utf8.count == 64 && first.first?.fixtures.utf8.count == 64)
        #expect(await (certificate + ["--rule", "LIST-01"]).exitCode(of: SoundTool.self) == 0)
        #expect(try OutputFile.read([Certification].self, from: path("c.json")) == first)
    }

    @Test func `two runs give the same bytes except for times`() async throws {
        defer { removeFolder(folder.path) }
        var texts: [String] = []
        for name in ["a", "b"] {
            _ = await ["contracts", "--json", "--report", "json=\(path(name))"].exitCode(of: SoundTool.self)
            texts.append(try text(name).replacing(/"seconds" : [0-9.e-]+/, with: ""))
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].contains("\"stamp\""))
    }
}

/// A tool whose V1 and V2 drop an item.
private enum FailingTool: TeamTool {
    static let name = "failing"
    static let adapters = [Fixture.adapter("v1", ["drops"]), Fixture.adapter("v2", ["drops"])]
    static func tooling() async throws -> Tooling { Tooling(rules: Fixture.rules, adapters: adapters) }
}

private enum KnownFailingTool: TeamTool {
    static let name = "knowing"
    static func tooling() async throws -> Tooling {
        Tooling(
            rules: Fixture.rules,
            adapters: FailingTool.adapters,
            deviations: [
                KnownDeviation(
                    .rule("LIST-01", on: "v1"),
                    reason: "it drops",
                    link: "https://example.org/1",
                    expires: "2999-01-01"
                )
            ]
        )
    }
}

/// A tool whose second rule waits for its vendor until it is cancelled.
private enum HangingTool: TeamTool {
    static let name = "hanging"
    @TaskLocal static var gate = TestGate()

    static func tooling() async throws -> Tooling {
        let gate = gate
        let hangs = Rule<Fixture.Subject>("GET-08", "hangs", level: .optional, bound: .seconds(1000)) { _, _ in
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                gate.open()
            }
            throw CancellationError()
        }
        return Tooling(rules: [Fixture.rules[0], hangs], adapters: soundAdapters(), fixtures: .text("seed"))
    }
}

private enum WeakTool: TeamTool {
    static let name = "weak"
    static func tooling() async throws -> Tooling {
        Tooling(
            rules: Fixture.rules,
            adapters: soundAdapters(),
            mutants: [Mutant("LIST-01", "idle") { clean, _ in clean }]
        )
    }
}

private enum MutantlessTool: TeamTool {
    static let name = "mutantless"
    static func tooling() async throws -> Tooling { Fixture.tooling }
}

private enum UnversionedTool: TeamTool {
    static let name = "unversioned"
    static func tooling() async throws -> Tooling {
        Tooling(rules: Fixture.rules, adapters: soundAdapters(version: nil))
    }
}

/// The sound tool with one more rule in its contract.
private enum GrownTool: TeamTool {
    static let name = "grown"
    static func tooling() async throws -> Tooling {
        Tooling(
            rules: Fixture.rules + [Rule("GET-08", "cached", level: .optional) { _, _ in [] }],
            adapters: soundAdapters()
        )
    }
}
#endif
