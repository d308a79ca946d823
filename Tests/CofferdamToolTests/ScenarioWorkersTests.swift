#if CommandLine && (os(macOS) || os(Linux))
import Cofferdam
import CofferdamContracts
import CofferdamUpgrade
import Foundation
import TestSupport
import Testing

@testable import CofferdamRehearsal
@testable import CofferdamTool

/// Checks scenario workers with a script instead of the tool that runs a scenario in a separate process.
@Suite(.timeLimit(.minutes(2))) struct ScenarioWorkersTests {
    private struct NotHere: Error {}

    private let folder = FileManager.default.temporaryDirectory.appending(path: "walks-\(UUID().uuidString)")
    /// A runner that runs nothing in this process.
    private let runner = ScenarioRunner { (_: @Sendable (RehearsedUpgrade<Void>) async throws -> ScenarioReport) in
        throw NotHere()
    }

    private func tasks(_ names: [String]) -> [ScenarioTask] {
        names.map { .init(scenario: $0, limit: 0.01, seed: 1, mix: TrafficMix.default.description, baseline: 10) }
    }

    /// - Parameter body: shell lines, with the scenario's `$name` and `$report`, and the shared `$folder`.
    private func run(
        _ names: [String],
        by body: String,
        _ progress: ToolProgress = ToolProgress { _ in }
    ) async throws -> [ScenarioReport] {
        let options = ScenarioOptions()
        let report = ScenarioReport(.good, options, plan: try UpgradePlan(options.stages))
        let answer = try WorkerLine.text(ScenarioAnswer.report(report))
        let shown = try WorkerLine.text(ScenarioAnswer.progress("STAGE"))
        let script = """
            read line <&3
            name=$(echo "$line" | sed 's/.*"scenario":"\\([^"]*\\)".*/\\1/')
            report=$(sed "s/\\"scenario\\":\\"good\\"/\\"scenario\\":\\"$name\\"/" <<'END'
            \(answer)
            END
            )
            folder=\(folder.path)
            echo '\(shown)' >&3
            \(body)
            """
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder.path) }
        let tool = folder.appending(path: "tool").path
        try await writeScript(script, to: tool)
        return try await WorkerPool.$tool.withValue(tool) {
            try await ScenarioWalks(runner: runner, progress: progress, atOnce: 2).run(tasks(names))
        }
    }

    @Test func `scenarios are walked at the same time, and reported in their order`() async throws {
        let log = Log<String>()
        // The two wait for each other.
        let body = """
            touch $folder/$name
            while [ ! -e $folder/good ] || [ ! -e $folder/wrong ]; do sleep 0.01; done
            if [ $name = good ]; then while [ ! -e $folder/end ]; do sleep 0.01; done; else touch $folder/end; fi
            printf '%s\\n' "$report" >&3
            """
        let progress = ToolProgress(tell: { log.add($0) }) { log.add($0) }
        let reports = try await run(["good", "wrong"], by: body, progress)
        #expect(reports.map(\.scenario) == ["good", "wrong"])
        #expect(log.entries.contains("0 of 2 scenarios done; STAGE"))
        #expect(log.entries.contains { $0.hasPrefix("2 of 2: scenario ") })
    }

    @Test func `scenarios with a nearby service are walked alone, after the others`() async throws {
        let body = """
            if [ $name = good ]; then sleep 0.2; touch $folder/end; fi
            if [ $name != good ] && [ ! -e $folder/end ]; then exit 3; fi
            if [ -e $folder/near ]; then exit 4; fi
            if [ $name != good ]; then touch $folder/near; sleep 0.1; rm $folder/near; fi
            printf '%s\\n' "$report" >&3
            """
        let reports = try await run(["fast", "good", "late-opening"], by: body)
        #expect(reports.map(\.scenario) == ["fast", "good", "late-opening"])
    }

    @Test(arguments: ["exit 3", "echo nonsense >&3; sleep 600"])
    func `a process without a report fails the rehearsal, by the scenario's name`(_ end: String) async throws {
        let error = try #require(
            await #expect(throws: (any Error).self) { try await run(["wrong", "slow"], by: end) }
        )
        #expect(end.hasPrefix("echo") || "\(error)".hasPrefix("scenario "))
    }

    @Test func `a walk's error is the worker's`() async throws {
        let failure = try WorkerLine.text(ScenarioAnswer.failure("no service"))
        let error = await #expect(throws: ScenarioFailure.self) {
            try await run(["wrong"], by: "echo '\(failure)' >&3; sleep 600")
        }
        #expect(error.map { "\($0)" } == "scenario wrong: no service")
    }

    @Test func `cancellation ends the processes`() async throws {
        let started = Log<String>()
        let progress = ToolProgress { started.add($0) }
        let walk = Task { try await run(["wrong", "slow"], by: "sleep 600", progress) }
        await until { started.entries.count == 2 }
        walk.cancel()
        await #expect(throws: CancellationError.self) { try await walk.value }
    }
}
#endif
