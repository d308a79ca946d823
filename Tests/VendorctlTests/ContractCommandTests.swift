#if Sandbox
import CommandTestSupport
import Foundation
import Subprocess
import TestSupport
import Testing

/// Checks the contract's commands besides the matrix itself: their machine-readable output and exit codes.
@Suite(.timeLimit(.minutes(5)))
struct ContractCommandTests {
    private let vendorctl = BuiltCommand.vendorctl

    private struct Contracts: Decodable {
        struct Row: Decodable {
            let rule: String
            let operation: String?
            let adapter: String
            let outcome: String
        }
        struct Stamp: Decodable {
            let fixtures: String
            let os: String
            let toolchain: String
            let date: String
        }
        struct Adapter: Decodable {
            struct Process: Decodable { let path: String }
            let name: String
            let process: Process?
        }
        let digest: String
        let adapters: [Adapter]
        let stamp: Stamp
        let rows: [Row]
        let stop: String?
    }

    private struct Mutants: Decodable {
        struct Row: Decodable {
            let rule: String
            let operation: String?
            let mutant: String
            let outcome: String
        }
        let rows: [Row]
    }

    @Test(
        "A case in a separate process has the same row as in the tool's own, and the report says where it ran"
    )
    func isolated() async throws {
        let finished = try await vendorctl.run(["contracts", "--json", "--isolate", "--rule", "GET-02"])
        #expect(finished.code == 0, "\(finished.error)")
        let contracts = try finished.json(Contracts.self)
        let operations = ["animal", "order"]
        #expect(contracts.rows.map(\.adapter) == ["v1", "v2", "fake"].flatMap { [$0, $0] })
        #expect(contracts.rows.map(\.operation) == operations + operations + operations)
        #expect(contracts.rows.allSatisfy { $0.rule == "GET-02" && $0.outcome == "passed" })
        #expect(contracts.stamp.fixtures.utf8.count == 64)
        #expect(!contracts.stamp.os.isEmpty && contracts.stamp.toolchain.hasPrefix("Swift "))
        #expect(contracts.stamp.date.utf8.count == 10)
    }

    @Test("contracts --publish without a server's address ends with 70, before anything is run")
    func nowhereToPublish() async throws {
        let finished = try await vendorctl.run(["contracts", "--publish"])
        #expect(finished.code == 70 && finished.output.isEmpty)
        #expect(finished.error.contains("COFFERDAM_SERVER: there is no server address"))
    }

    @Test(
        "--adapter NAME=PATH runs that adapter, streams and all, in another executable of this tool, and the report says so"
    )
    func otherBuild() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "other-\(UUID().uuidString)")
        defer { removeFolder(file.path) }
        let path = file.path(percentEncoded: false)
        try await writeScript("exec vendorctl \"$@\"\n", to: path)
        let rules = ["--rule", "GET-02", "--rule", "STRM-02", "--rule", "CANC-01"]
        let finished = try await vendorctl.run(["contracts", "--json", "--adapter", "v2=\(path)"] + rules)
        #expect(finished.code == 0, "\(finished.error)")
        let contracts = try finished.json(Contracts.self)
        #expect(contracts.adapters.map(\.name) == ["v1", "v2", "fake"])
        #expect(contracts.adapters.map { $0.process?.path } == [nil, path, nil])
        let rows = contracts.rows.filter { $0.adapter == "v2" && $0.outcome == "passed" }
        #expect(Set(rows.map(\.rule)) == ["GET-02", "STRM-02", "CANC-01"])
    }

    @Test(
        "mutants --json shows for each mutant which rule it breaks and its outcome",
        arguments: [[], ["--isolate"]]
    )
    func mutants(_ options: [String]) async throws {
        let finished = try await vendorctl.run(
            ["mutants", "--json", "--rule", "LIST-01", "--rule", "LIST-06"] + options
        )
        #expect(finished.code == 0, "\(finished.error)")
        let rows = try finished.json(Mutants.self).rows
        #expect(Set(rows.map(\.rule)) == ["LIST-01", "LIST-06"])
        #expect(rows.allSatisfy { $0.outcome == "killed" && !$0.mutant.isEmpty && $0.operation != nil })
    }

    @Test("A report that cannot be judged ends with 70, an adapter that does not exist with 64")
    func refused() async throws {
        #expect(try await vendorctl.run(["can-upgrade", "--run", "/nonexistent.json"]).code == 70)
        #expect(try await vendorctl.run(["can-upgrade", "--to", "v9"]).code == 64)
        #expect(try await vendorctl.run(["contracts", "--report", "pdf=x"]).code == 64)
    }

    @Test(
        arguments: [
            ("SIGINT", .interrupt, 130, []), ("SIGTERM", .terminate, 143, []),
            ("SIGTERM", .terminate, 143, ["--isolate"]),
        ] as [(String, Signal, Int32, [String])]
    )
    func `a signal in the middle of the run prints what is known so far, and the exit code shows which signal it was`(
        name: String,
        signal: Signal,
        code: Int32,
        options: [String]
    ) async throws {
        let finished = try await vendorctl.run(["contracts", "--json", "--verbose"] + options, sending: signal) {
            line in
            // The first line of a finished row; hundreds follow.
            line.hasPrefix("✓ ")
        }
        #expect(finished.code == code, "\(finished.status): \(finished.error)")
        let contracts = try finished.json(Contracts.self)
        let stop = try #require(contracts.stop)
        #expect(stop.wholeMatch(of: /it was interrupted, and [1-9][0-9]+ cases were left/) != nil, "\(stop)")
        // The report contains exactly the printed rows.
        let lines = finished.error.split(separator: "\n").filter { $0.hasPrefix("✓ ") || $0.hasPrefix("– ") }
        #expect(contracts.rows.contains { $0.outcome == "passed" })
        #expect(contracts.rows.count == lines.count, "\(finished.error)")
    }

    @Test func `as text, an interrupted run shows its matrix, and that it is incomplete`() async throws {
        let finished = try await vendorctl.run(["contracts", "--verbose"], sending: .terminate) { $0.hasPrefix("✓ ") }
        #expect(finished.code == 143, "\(finished.status): \(finished.error)")
        #expect(finished.output.hasPrefix("RULE "))
        #expect(finished.output.contains("the run is incomplete: it was interrupted, and "))
        #expect(finished.output.split(separator: "\n").last?.hasPrefix("contracts: ") == true)
    }
}
#endif
