import CofferdamContracts
import CofferdamTool
import CofferdamUpgrade
import DownloadsApp
import DownloadsClient
import DownloadsPort
import Foundation

/// Checks everything that the example promises, in one run.
struct ExampleRun: Encodable {
    struct Contracts: Encodable { var passed = 0, failed = 0, skipped = 0 }
    struct Mutants: Encodable { var killed = 0, survived = 0 }
    struct Staged: Encodable { var promoted = false, rolledBack = false }

    var built = false
    var contracts = Contracts()
    var mutants = Mutants()
    var canUpgrade = UpgradeVerdict.Answer.unknown
    var differences: [String] = []
    var swapLines = 0
    var vendorImportableFromApp = true
    var staged = Staged()

    /// The results that are not as expected, and additional notes for the reader.
    private var problems: [String] = []
    private var notes: [String] = []

    private enum CodingKeys: CodingKey {
        case built, contracts, mutants, canUpgrade, differences, swapLines, vendorImportableFromApp, staged
    }

    /// - Parameter progress: receives a description of each step.
    static func run(_ progress: @Sendable (String) -> Void) async throws -> ExampleRun {
        var run = ExampleRun()
        progress("the mutants, in a process of their own, which mostly waits")
        async let mutants = runMutants()
        progress("the app, as it is linked")
        try await run.useApp()
        progress("the contract, on both clients and the fake")
        try await run.holdContract()
        progress("the differences between the clients")
        try await run.compareClients()
        progress("the swap and the wall")
        try await run.checkPackage()
        progress("the upgrade, with a good candidate and with a bad one")
        try await run.walkStages()
        progress("the rest of the mutants")
        run.judge(try await mutants)
        return run
    }

    /// The app downloads a shelf, with the client that this build links.
    private mutating func useApp() async throws {
        let server = try await FileServer.start()
        let directory = try temporaryDirectory()
        defer { remove(directory) }
        for number in 0..<250 { server.put(Array("file \(number)".utf8), as: "file \(number)") }
        let address = "http://127.0.0.1:\(server.port)"
        let service = try await LinkedClient.open(server: address, token: FileServer.token, user: "example")
        let shelf = ShelfDownload(service.downloads)
        let files = try await shelf.run(into: directory)
        try await refuseNames(shelf, server)
        await service.close()
        await server.stop()
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: directory))
        built = files.count == 250 && names == Set(files.map(\.name))
        expect(built, "the app has downloaded \(names.count) of 250 files")
        notes.append("the app, linked with \(LinkedClient.name), has downloaded \(files.count) files")
    }

    /// The server chooses the names, and none of them leads out of the app's directory.
    private mutating func refuseNames(_ shelf: ShelfDownload, _ server: FileServer) async throws {
        let directory = try temporaryDirectory()
        defer { remove(directory) }
        let inside = "\(directory)/inside"
        try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
        for name in ["../stray", ".stray", ""] {
            server.set([])
            server.put([1], as: name)
            var error: DownloadsError?
            do { _ = try await shelf.run(into: inside) } catch let thrown as DownloadsError { error = thrown }
            expect(error?.code == .unreadable, "the app has taken '\(name)' for a file's name")
        }
        let strays = try FileManager.default.contentsOfDirectory(atPath: directory)
        expect(strays == ["inside"], "the app has written to \(strays)")
    }

    private mutating func holdContract() async throws {
        let directory = try temporaryDirectory()
        defer { remove(directory) }
        let file = "\(directory)/contracts.json"
        let result = try await Self.tool(["contracts", "--json"])
        let report = try JSONDecoder().decode(ContractReport.self, from: result.output)
        contracts = Contracts(
            passed: report.rows.count { $0.outcome == .passed },
            failed: report.rows.count(where: \.outcome.isFailure),
            skipped: report.rows.count { $0.outcome == .skipped }
        )
        expect(result.status == 0 && contracts.passed > 0, "the contract does not hold: downloads-tool contracts")
        try result.output.write(to: URL(filePath: file))
        let answer = try await Self.tool(["can-upgrade", "--json", "--run", file])
        let verdict = try JSONDecoder().decode(UpgradeVerdict.self, from: answer.output)
        canUpgrade = verdict.verdict
        expect(canUpgrade == .yes, "can-upgrade says \(canUpgrade): \(verdict.reasons.joined(separator: "; "))")
    }

    private static func runMutants() async throws -> MutationReport {
        let directory = try temporaryDirectory()
        defer { remove(directory) }
        let result = try await tool(["mutants", "--json", "--output", "\(directory)/mutants.json"])
        return try JSONDecoder().decode(MutationReport.self, from: result.output)
    }

    private mutating func judge(_ report: MutationReport) {
        mutants = Mutants(
            killed: report.count(of: .killed),
            survived: report.rows.count { $0.outcome != .killed && $0.outcome != .skipped }
        )
        expect(report.isGreen, "not every mutant is killed: \(report.problems.joined(separator: "; "))")
    }

    private mutating func compareClients() async throws {
        let (report, texts) = try await ClientDifferences.compare()
        differences = texts
        expect(report.isGreen, "the clients differ in a way that is not known: downloads-tool drift")
        expect(!differences.isEmpty, "the clients do not differ, so nothing was compared")
    }

    private mutating func checkPackage() async throws {
        swapLines = try await PackageChecks.swap()
        expect(swapLines == 1, "the swap changes \(swapLines) lines")
        let importable = try await PackageChecks.importable()
        vendorImportableFromApp = !importable.isEmpty
        expect(importable.isEmpty, "the app can import \(importable.joined(separator: ", "))")
    }

    private mutating func walkStages() async throws {
        let good = try await StagedWalk.run(nil)
        staged.promoted = good.stages.last == .candidateOnly
        expect(staged.promoted, "a good candidate ends at \(good.stages.last.map { "\($0)" } ?? "no stage")")
        let bad = try await StagedWalk.run(.reset)
        expect(good.broken == 0, "\(good.broken) streams of the good candidate broke")
        staged.rolledBack = bad.stages.contains { $0.kind == .canary } && bad.stages.last == .legacyOnly
        expect(staged.rolledBack, "a bad candidate ends at \(bad.stages.last.map { "\($0)" } ?? "no stage")")
        for (name, walk) in [("good", good), ("bad", bad)] {
            if !(staged.promoted && staged.rolledBack) { notes.append(walk.decision?.explanation ?? "no decision") }
            expect(walk.failed == 0, "\(walk.failed) users met a failure of the \(name) candidate")
            notes.append("\(name) candidate: \(walk.stages.map { "\($0)" }.joined(separator: " → "))")
            notes.append(
                "    \(walk.visits) users, \(walk.failed) met a failure, \(walk.broken) streams broke; requests: \(walk.requests.legacy) by URLSession, "
                    + "\(walk.requests.candidate) by async-http-client"
            )
        }
    }

    private mutating func expect(_ isTrue: Bool, _ problem: String) { if !isTrue { problems.append(problem) } }

    private static func tool(_ arguments: [String]) async throws -> Command.Result {
        try await Command.run(CommandLine.arguments[0], arguments)
    }

    // MARK: Output

    var isAsExpected: Bool { problems.isEmpty }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    var summary: String {
        let rows = [
            ("contracts", "\(contracts.passed) passed, \(contracts.failed) failed, \(contracts.skipped) skipped"),
            ("mutants", "\(mutants.killed) killed, \(mutants.survived) survived"),
            ("can upgrade", canUpgrade.rawValue),
            ("swap", "\(swapLines) line"),
            ("wall", vendorImportableFromApp ? "the app can import a client" : "the app cannot import a client"),
            ("staged", "promoted: \(staged.promoted), rolled back: \(staged.rolledBack)"),
            ("differences", "\(differences.count) between the clients, which the adapters even out"),
        ]
        return rows.map { $0.padding(toLength: 14, withPad: " ", startingAt: 0) + $1 }.joined(separator: "\n")
            + "\n" + (differences + notes).map { "  \($0)" }.joined(separator: "\n")
            + (problems.isEmpty ? "" : "\n" + problems.map { "NOT AS EXPECTED: \($0)" }.joined(separator: "\n"))
    }
}
