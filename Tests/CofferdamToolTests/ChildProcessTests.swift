#if CommandLine && canImport(Subprocess)
    import ArgumentParser
    import CofferdamContracts
    import Foundation
    import Testing

    @testable import CofferdamTool

    /// A shell stands in for the tool: what matters is how it ends and what it prints.
    @Suite(.timeLimit(.minutes(5))) struct ChildProcessTests {
        private func shell(_ line: String) -> ChildProcess {
            ChildProcess(path: "/bin/sh", prefix: ["-c", line, "sh"])
        }

        private let id = ContractReport.Case(rule: "kv/KV-01", operation: "read", adapter: "v1")

        /// One rule that passes, whose process is that of the line.
        private func row(_ line: String, within limit: Duration = .seconds(20)) async -> ContractReport.Row? {
            let rule = Rule<Fixture.Subject>("kv/KV-01", "t", bound: limit, mayTrap: true) { _, _ in [] }
            return await ContractRunner(
                rules: [rule],
                adapters: [Fixture.adapter("v1")],
                isolation: shell(line).cases(.whatMayTrap)
            ).run().rows.first
        }

        @Test func `the row is the one that the process prints, whatever it exits with`() async throws {
            let printed = ContractReport(rows: [Fixture.row("kv/KV-01", "v1", .violated, "from there")])
            let json = String(decoding: try OutputFile.json(printed), as: UTF8.self)
            for code in [0, 1] {
                let row = await row("echo noise >&2; cat <<'END'\n\(json)\nEND\nexit \(code)")
                #expect(row?.outcome == .violated)
                #expect(row?.detail == "from there")
            }
        }

        @Test func `a process that a signal ends has crashed, and says Swift's reason`() async {
            let row = await row(
                "echo 'start' >&2; echo 'x.swift:1: Fatal error: index out of range' >&2; kill -TRAP $$"
            )
            #expect(row?.outcome == .crashed)
            #expect(row?.detail == "signal 5 ended its process: x.swift:1: Fatal error: index out of range")
        }

        @Test(arguments: ["exit 70", "echo '{}'", "echo nonsense", "echo '{\"digest\": \"\", \"rows\": []}'"])
        func `one that ends without a row is no pass`(_ line: String) async {
            let row = await row(line)
            #expect(row?.outcome == .crashed)
            #expect(row?.detail?.contains("its process") == true)
        }

        @Test func `one that does not end is ended`() async throws {
            await #expect(throws: ProcessOverdue.self) {
                try await shell("sleep 600").output([], within: .milliseconds(50))
            }
        }

        @Test func `a program that is not there is no pass`() async {
            let nowhere = ChildProcess(path: "/nonexistent/tool")
            await #expect(throws: (any Error).self) { try await nowhere.output([], within: .seconds(20)) }
        }

        @Test func `the tool is called for one rule on one adapter, and isolates nothing further`() async throws {
            let text = try await ChildProcess(path: "/bin/echo").output(["contracts", "--x"], within: .seconds(20))
            #expect(text == "contracts --x\n")
            let contracts = try RootCommand<EchoTool>.parseAsRoot([
                "contracts", "--json", "--in-process", "--rule", id.rule.rawValue, "--adapter", id.adapter,
                "--operation", "read", "--try-undeclared",
            ])
            #expect((contracts as? ContractsCommand<EchoTool>)?.inProcess == true)
            #expect((contracts as? ContractsCommand<EchoTool>)?.rule == ["kv/KV-01"])
            #expect((contracts as? ContractsCommand<EchoTool>)?.operation == ["read"])
            let mutants = try RootCommand<EchoTool>.parseAsRoot([
                "mutants", "--json", "--in-process", "--rule", "LIST-01", "--mutant", "drops -- it",
            ])
            #expect((mutants as? MutantsCommand<EchoTool>)?.mutant == "drops -- it")
        }

        @Test func `a mutant's process that dies is told from one that ends`() async {
            let died = shell("kill -ILL $$").mutants(.everything)
            let ended = shell("exit 64").mutants(.everything)
            let printed = #"{"obliged":[],"rows":[{"rule":"LIST-01","mutant":"drops","outcome":"survived"}]}"#
            let told = shell("echo '\(printed)'").mutants(.everything)
            let outcomes: [(MutantIsolation, MutationOutcome)] = [
                (died, .crashed), (ended, .notJudged), (told, .survived),
            ]
            for (isolation, outcome) in outcomes {
                let runner = MutationRunner(rules: Fixture.rules, adapter: Fixture.adapter("v1"), isolation: isolation)
                #expect(await runner.run(Fixture.dropping).outcome == outcome)
            }
        }
    }

    private enum EchoTool: TeamTool {
        static let name = "echo"
        static func tooling() async throws -> Tooling { Fixture.tooling }
    }
#endif
