#if CommandLine
import CofferdamSupport
import ArgumentParser
import CofferdamContracts
import CofferdamRehearsal

struct RehearseCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "rehearse",
            abstract: "Rehearse the whole upgrade under generated traffic, and report what users would lose.",
            discussion: """
                Runs the app's main calls once with each SDK, checks every adapter against the contract, and walks the \
                upgrade through all its stages, as its gates decide. With --scenario it only walks: through one fault, or \
                with 'all' through each of them, several at a time in processes of their own. Simulated users read, page \
                through lists and write. Some follow a feed, and their streams move between the SDKs with the stages: each \
                published item must arrive once and in order. The limit and the baseline apply to the rehearsal only, so that \
                it ends soon: with a lower limit, a gate needs more users before it decides.

                With --drill, a server on loopback has devices on which V2 begins to fail. It shows the alert, waits until \
                a person who follows the runbook has stopped V2 on all devices, and prints the seconds of each step.

                SCENARIOS
                \(Scenario.all.map { "  \($0.name)\n" + $0.summary.wrapped(to: 68).map { "      \($0)" }.joined(separator: "\n") }.joined(separator: "\n"))

                EXAMPLES
                  \(Tool.name) rehearse
                  \(Tool.name) rehearse --verbose
                  \(Tool.name) rehearse --json | jq '.catalogue.differences'
                  \(Tool.name) rehearse --scenario wrong --report wrong.html
                  \(Tool.name) rehearse --scenario all --limit 0.02 --seed 7
                  \(Tool.name) rehearse --scenario legacy-down --json | jq .lost
                  \(Tool.name) rehearse --scenario slow --console
                  \(Tool.name) rehearse --drill
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var walk: ScenarioArguments

    @Option(help: ArgumentHelp("Write the upgrade's report to a file, as an HTML page.", valueName: "file"))
    var report: String?

    @Flag(help: "Show each rule, each reason, and why each stage ended.")
    var verbose = false

    @Flag(help: "Show the walk on a page on loopback meanwhile; needs the trait Server.")
    var console = false

    @OptionGroup var drill: DrillArguments

    func validate() throws {
        if console { _ = try walk.watched }
        guard !drill.drill || !json && !console && walk.scenario == nil && report == nil else {
            throw ValidationError("--drill walks no scenario: leave --json, --console, --scenario and --report away.")
        }
    }

    func run() async throws {
        guard !drill.drill else { return try await DrillRun<Tool>(options: drill).run() }
        try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
            let watched = console ? try WatchedRehearsal(of: tooling, Tool.self, tell: progress.tell) : nil
            let outcome: CommandRun<Tool>.Outcome
            let walked: [ScenarioReport]
            if let scenarios = try walk.scenarios {
                guard let scenarioTooling = tooling.scenarios else {
                    throw ValidationError("\(Tool.name) describes no upgrade to walk.")
                }
                walked = try await walkEach(scenarios, scenarioTooling, watched, progress)
                outcome = Self.outcome(of: walked, isVerbose: verbose)
            } else {
                let report = try await rehearsal(tooling, watched, progress)
                walked = report.scenarios
                outcome = CommandRun<Tool>.Outcome(report, isGreen: report.isGreen) { style in
                    RehearsalSummary(report, described: tooling, isVerbose: verbose).render(style)
                }
            }
            if let report {
                let page: [UInt8] = Array(ScenarioPage(walked).html().utf8)
                try OutputFile.write(page, to: report)
            }
            return outcome
        }
    }

    private func rehearsal(
        _ tooling: Tooling,
        _ watched: WatchedRehearsal?,
        _ progress: ToolProgress
    ) async throws -> RehearsalReport {
        guard let rehearse = tooling.rehearse else {
            throw ValidationError("\(Tool.name) describes no rehearsal.")
        }
        var report = try await rehearse(progress)
        // The traffic mostly waits, so the contract runs at the same time.
        async let walked = walkGood(tooling, watched, progress)
        report.contracts = await tooling.runContracts(
            ContractSelection(all: tooling),
            .here(isolation: .workers()),
            progress
        )
        report.scenarios = try await walked
        return report
    }

    private func walkGood(
        _ tooling: Tooling,
        _ watched: WatchedRehearsal?,
        _ progress: ToolProgress
    ) async throws -> [ScenarioReport] {
        guard let runner = tooling.scenarios else { return [] }
        return try await walkEach([.good], runner, watched, progress)
    }

    /// Walks the scenarios; with a page, in this process.
    private func walkEach(
        _ scenarios: [Scenario],
        _ runner: ScenarioRunner,
        _ watched: WatchedRehearsal?,
        _ progress: ToolProgress
    ) async throws -> [ScenarioReport] {
        guard let watched else { return try await walk.walk(scenarios, runner, progress) }
        let (scenario, options) = try walk.watched
        return [try await watched.walk(scenario, options, by: runner, progress)]
    }

    /// A single scenario is the whole document; several are a list.
    private static func outcome(of walked: [ScenarioReport], isVerbose: Bool) -> CommandRun<Tool>.Outcome {
        let document: any Encodable = walked.count == 1 ? walked[0] : ScenarioDocument(scenarios: walked)
        return CommandRun<Tool>.Outcome(document, isGreen: walked.allSatisfy(\.isGreen)) { style in
            walked.map { ScenarioSummary($0, isVerbose: isVerbose).render(style) }.joined(separator: "\n")
        }
    }
}

private struct ScenarioDocument: Encodable {
    let scenarios: [ScenarioReport]
}
#endif
