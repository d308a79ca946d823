#if CommandLine && os(Linux)
import Cofferdam
import CofferdamSupport
import CofferdamContracts
import Foundation
import TestSupport
import Testing

@testable import CofferdamTool

/// Checks adapters of another build. It is a script that starts the tests' own process again for ``ToyTool``.
@Suite(.timeLimit(.minutes(5))) struct OtherBuildTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "build-\(UUID().uuidString)")

    /// Writes an executable script.
    private func script(_ body: String, mode: String = "755") async throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: UUID().uuidString).path(percentEncoded: false)
        try await writeScript("\(body)\n", to: path, mode: mode)
        return path
    }

    private func toy() async throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try await script(
            """
            \(ToyWorker.variable)="$*" exec '\(tests)' --testing-library swift-testing --filter ToyWorker
            """
        )
    }

    /// Writes a script that prints that line as its description, and then waits.
    private func describing(_ line: String) async throws -> String {
        try await script("echo '\(line)' >&3; read rest <&3")
    }

    private func report(_ arguments: [String], of tool: (some TeamTool).Type, code: Int32) async throws
        -> ContractReport
    {
        let file = folder.appending(path: "report.json").path(percentEncoded: false)
        #expect(await (["contracts", "--json", "--report", "json=\(file)"] + arguments).exitCode(of: tool) == code)
        return try OutputFile.read(ContractReport.self, from: file)
    }

    private func refusal(_ path: String, adapter: String = "vendor") async throws -> String? {
        let error = await #expect(throws: OtherBuildRefused.self) {
            try await [OtherBuild(adapter: adapter, at: path)].adapters(
                beside: VendorlessTool.tooling(),
                separateProcesses: false,
                triesUndeclared: false,
                patience: 4
            )
        }
        #expect(error?.description.hasPrefix("--adapter \(adapter)=\(path): ") == true)
        return error?.description
    }

    @Test func `a vendor in another build's process: its trap costs a row, and the report says where it ran`()
        async throws
    {
        defer { removeFolder(folder.path) }
        let toy = try await toy()
        for options in [[], ["--in-process"]] {
            let report = try await report(
                ["--adapter", "Vendor=\(toy)"] + options,
                of: VendorlessTool.self,
                code: 1
            )
            #expect(report.rows.map(\.adapter) == ["fake", "fake", "fake", "vendor", "vendor", "vendor"])
            #expect(report.rows.map(\.outcome) == [.passed, .passed, .passed, .passed, .crashed, .failed])
            #expect(report.rows[4].detail?.contains("Fatal error: the vendor has no such thing") == true)
            #expect(report.adapters.map { $0.process?.path } == [nil, toy])
            #expect(report.adapters.last?.process?.toolchain.hasPrefix("Swift ") == true)
            #expect(report.isWhole)
            let matrix = ContractMatrix(report, described: try await VendorlessTool.tooling())
                .render(TerminalStyle(isColoured: false))
            #expect(matrix.contains("vendor ran in the processes of '\(toy)' (Swift "))
            #expect(!matrix.contains("did not run"))
            let document = ContractDocument(name: "toy", report: report)
            #expect(document.html().contains("ran in the processes of") && document.markdown().contains(toy))
        }
    }

    @Test func `it replaces this build's own adapter, even a fake, and a name restricts the run`() async throws {
        defer { removeFolder(folder.path) }
        let toy = try await toy()
        let arguments = ["--adapter", "fake=\(toy)", "--adapter", "fake"]
        let report = try await report(arguments, of: VendorlessTool.self, code: 0)
        #expect(report.rows.map(\.outcome) == [.passed, .passed, .passed])
        #expect(report.adapters.map { $0.process?.replacesOwn } == [true])
        #expect(report.adapters.first?.origin?.hasSuffix("; this build's own fake did not run") == true)
    }

    @Test func `can-upgrade judges two builds at once, and its verdict says which`() async throws {
        defer { removeFolder(folder.path) }
        let toy = try await toy()
        let arguments = ["can-upgrade", "--from", "fake", "--to", "vendor"]
        #expect(await (arguments + ["--adapter", "vendor=\(toy)"]).exitCode(of: VendorlessTool.self) == 1)
        #expect(await arguments.exitCode(of: VendorlessTool.self) == 64)
        #expect(await (arguments + ["--adapter", "vendor=/none"]).exitCode(of: VendorlessTool.self) == 2)
        let other = try await [OtherBuild(adapter: "vendor", at: toy)].adapters(
            beside: VendorlessTool.tooling(),
            separateProcesses: false,
            triesUndeclared: true,
            patience: 4
        )
        let tooling = try await VendorlessTool.tooling().adding(other)
        var options = ContractOptions.here()
        options.elsewhere = other
        let run = await tooling.runContracts(ContractSelection(all: tooling), options, ToolProgress { _ in })
        let verdict = UpgradeVerdict(run, from: "fake", to: "vendor", today: .today)
        #expect(verdict.candidate?.process?.path == toy)
        let comparison = UpgradeComparison(run, from: "fake", to: "vendor")
        #expect(
            UpgradeSummary(verdict: verdict, comparison: comparison).render(TerminalStyle(isColoured: false))
                .contains("vendor ran in the processes of '\(toy)'")
        )
    }

    @Test func `a build that does not exist, is not executable, or is not a tool of the kit is refused`()
        async throws
    {
        defer { removeFolder(folder.path) }
        #expect(try await refusal("/nonexistent/tool")?.contains("No such file or directory") == true)
        #expect(try await refusal(script("exit 0", mode: "644"))?.contains("Permission denied") == true)
        for body in ["echo 'no such command' >&2; exit 64", "echo nonsense >&3", "kill -TRAP $$"] {
            #expect(
                try await refusal(script(body))?.contains("does not describe itself as a tool of this kit")
                    == true
            )
        }
        let silent = OtherBuild(adapter: "vendor", at: try await script("sleep 600"))
        let error = await #expect(throws: OtherBuildRefused.self) {
            try await silent.describe(within: .milliseconds(50))
        }
        #expect(error?.description.contains("did not describe itself within") == true)
    }

    @Test func `a build with another protocol, contract or seed, or without that adapter, is refused`() async throws {
        defer { removeFolder(folder.path) }
        let own = try await WorkerDescription(of: VendorlessTool.tooling())
        func refused(_ change: (inout WorkerDescription) -> Void) async throws -> String? {
            var other = own
            change(&other)
            return try await refusal(try await describing(try WorkerLine.text(other)))
        }
        #expect(try await refused { $0.version = 2 }?.contains("version 2 of the workers' protocol, not 1") == true)
        #expect(try await refused { $0.digest = "0123" }?.contains("another contract (0123, not ") == true)
        #expect(try await refused { $0.fixtures = "else" }?.hasSuffix("it has other fixtures") == true)
        #expect(try await refused { _ in }?.hasSuffix("there is no adapter 'vendor'; there are: fake") == true)
        // The same through the command, which returns its exit code.
        let path = try await describing(try WorkerLine.text(own))
        #expect(await ["contracts", "--adapter", "vendor=\(path)"].exitCode(of: VendorlessTool.self) == 2)
    }

    @Test(arguments: [["=/x"], ["v="], ["v2=/x", "V2=/y"]])
    func `an argument that names no adapter of another build is wrong usage`(_ adapters: [String]) async {
        let options = adapters.flatMap { ["--adapter", $0] }
        #expect(await (["contracts"] + options).exitCode(of: VendorlessTool.self) == 64)
        #expect(await (["can-upgrade"] + options).exitCode(of: VendorlessTool.self) == 64)
    }

    @Test func `can-upgrade runs every adapter, and runs none beside files`() async {
        #expect(await ["can-upgrade", "--adapter", "fake"].exitCode(of: VendorlessTool.self) == 64)
        let both = ["can-upgrade", "--adapter", "vendor=/x", "--run", "/y"]
        #expect(await both.exitCode(of: VendorlessTool.self) == 64)
    }
}

/// Another build of ``ToyTool``'s team, without the vendor.
private enum VendorlessTool: TeamTool {
    static let name = "vendorless"
    static func tooling() async throws -> Tooling {
        Tooling(rules: ToyTool.rules, adapters: [ToyTool.fake])
    }
}
#endif
