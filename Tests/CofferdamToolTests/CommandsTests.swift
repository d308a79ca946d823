#if CommandLine
import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamSimulation
import CofferdamUpgrade
import Foundation
import Testing

@testable import CofferdamRehearsal
@testable import CofferdamTool

struct CommandsTests {
    /// The examples of FIPS 180-2, and lengths at which the padding fills a block or needs another one.
    @Test(
        "The contract's digest is SHA-256",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 55),
                "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"
            ),
            (
                String(repeating: "a", count: 56),
                "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"
            ),
            (
                String(repeating: "a", count: 63),
                "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"
            ),
            (
                String(repeating: "a", count: 64),
                "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"
            ),
            (
                String(repeating: "a", count: 119),
                "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"
            ),
            (
                String(repeating: "a", count: 120),
                "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"
            ),
        ]
    )
    func digest(text: String, digest: String) {
        #expect(Digest.sha256(of: text) == digest)
    }

    @Test(
        "A filter that matches nothing is a usage error",
        arguments: [["--rule", "LIST"], ["--adapter", "v9"]]
    )
    func unknownFilter(_ arguments: [String]) async {
        let code = await (["contracts"] + arguments).exitCode(of: GreenTool.self)
        #expect(code == 64)
    }

    @Test("contracts ends with 0 only if every rule passes or is skipped with a reason")
    func contracts() async {
        #expect(await ["contracts", "--json"].exitCode(of: GreenTool.self) == 0)
        #expect(await ["contracts"].exitCode(of: RedTool.self) == 1)
        #expect(await ["contracts", "--rule", "AUTH-01", "--json"].exitCode(of: RedTool.self) == 1)
    }

    @Test(
        "rehearse ends with 0 if all is well, 1 if not, 64 without a rehearsal, 70 if it could not run"
    )
    func rehearse() async {
        #expect(await ["rehearse", "--json"].exitCode(of: GreenTool.self) == 0)
        #expect(await ["rehearse"].exitCode(of: RedTool.self) == 1)
        #expect(await ["rehearse"].exitCode(of: BareTool.self) == 64)
        #expect(await ["rehearse"].exitCode(of: BrokenTool.self) == 70)
        // No result could change the outcome.
        #expect(
            await ["rehearse", "--scenario", "wrong", "--limit", "0.2"].exitCode(of: GreenTool.self) == 64
        )
    }

    @Test("rehearse ends with 1 if a stream lost an item, whatever else happened", .timeLimit(.minutes(1)))
    func rehearseStreams() async {
        #expect(await ["rehearse", "--scenario", "good", "--json"].exitCode(of: StreamingTool.self) == 0)
        #expect(await ["rehearse", "--scenario", "good", "--json"].exitCode(of: LossyTool.self) == 1)
    }

    @Test(
        "simulate-gate writes its report, and refuses numbers that are not probabilities",
        arguments: [([], 0), (["--limit", "0"], 64), (["--alpha", "2"], 64), (["--runs", "0"], 64)]
            as [([String], Int32)]
    )
    func simulateGate(_ options: [String], _ code: Int32) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "gate-\(UUID().uuidString).json")
        let arguments = ["simulate-gate", "--json", "--runs", "10", "--limit", "0.01", "--output", file.path]
        #expect(await (arguments + options).exitCode(of: BareTool.self) == code)
        guard code == 0 else { return }
        let report = try OutputFile.read(GateSimulationReport.self, from: file.path)
        try FileManager.default.removeItem(at: file)
        #expect(report.exact.promotedAtLimit < 0.01)
        #expect(report.atLimit.runs == 50)
    }

    @Test("Each command closes the tool's resources once, whatever the outcome")
    func closes() async {
        #expect(await ["contracts", "--json"].exitCode(of: ClosingTool.self) == 0)
        #expect(ClosingTool.closings.withLock { $0 } == 1)
        #expect(await ["rehearse"].exitCode(of: ClosingTool.self) == 70)
        #expect(ClosingTool.closings.withLock { $0 } == 2)
        #expect(await ["contracts", "--rule", "X"].exitCode(of: ClosingTool.self) == 64)
        #expect(ClosingTool.closings.withLock { $0 } == 3)
    }
}

private enum GreenTool: TeamTool {
    static let name = "green"
    static func tooling() async throws -> Tooling {
        Tooling(rules: Fixture.rules, adapters: [Fixture.adapter("v1")], rehearsal: { _ in Fixture.rehearsal })
    }
}

private enum RedTool: TeamTool {
    static let name = "red"
    static func tooling() async throws -> Tooling {
        Tooling(rules: Fixture.rules, adapters: [Fixture.adapter("v1", ["drops"])]) { _ in
            var report = Fixture.rehearsal
            report.adapters[0].steps[0].outcome = .failed
            return report
        }
    }
}

private enum BareTool: TeamTool {
    static let name = "bare"
    static func tooling() async throws -> Tooling { Fixture.tooling }
}

private enum BrokenTool: TeamTool {
    static let name = "broken"
    struct NoService: Error {}
    static func tooling() async throws -> Tooling { throw NoService() }
}

private enum StreamingTool: TeamTool {
    static let name = "streaming"
    static func tooling() async throws -> Tooling { try rehearsing { _ in } }

    /// - Parameter change: changes the report of a scenario that passes.
    static func rehearsing(_ change: @escaping @Sendable (inout ScenarioReport) -> Void) throws -> Tooling {
        Tooling(
            rules: Fixture.rules,
            adapters: [Fixture.adapter("v1")],
            scenarios: ScenarioRunner { (_: @Sendable (RehearsedUpgrade<Void>) async throws -> ScenarioReport) in
                let options = ScenarioOptions()
                var report = ScenarioReport(.good, options, plan: try UpgradePlan(options.stages))
                report.outcome = .arrived
                change(&report)
                return report
            }
        )
    }
}

/// A tool whose new SDK leaves out an item.
private enum LossyTool: TeamTool {
    static let name = "lossy"
    static func tooling() async throws -> Tooling {
        try StreamingTool.rehearsing { $0.lost.add(.skipped, "message 7") }
    }
}

private enum ClosingTool: TeamTool {
    static let name = "closing"
    static let closings = Mutex(0)
    struct Failed: Error {}

    static func tooling() async throws -> Tooling {
        Tooling(rules: Fixture.rules, adapters: [Fixture.adapter("v1")], rehearsal: { _ in throw Failed() }) {
            closings.withLock { $0 += 1 }
        }
    }
}
#endif
