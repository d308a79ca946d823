#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamRehearsal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ConsoleCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "console",
            abstract: "Show the control plane's page with a rehearsal in it, until Ctrl-C.",
            discussion: """
                Starts a server on loopback and walks a scenario in it. Prints the address, a token to read the page, and one \
                to move the upgrade, as an operator would: the rehearsal follows. After the walk the page stays until \
                Ctrl-C. Needs a build with the trait Server.

                EXAMPLES
                  \(Tool.name) console
                  \(Tool.name) console --scenario wrong --rate 200
                  \(Tool.name) console --port 8090
                """
        )
    }

    @Option(help: "The port; 0 for any free one.")
    var port = 0

    @OptionGroup var walk: ScenarioArguments

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535.") }
    }

    func run() async throws {
        let line = ProgressLine()
        let watch = ProgressWatch(line)
        let progress = watch.progress
        try await CommandRun<Tool>.use(clearing: line) { tooling in
            let (scenario, options) = try walk.watched
            guard let runner = tooling.scenarios else {
                throw ValidationError("\(Tool.name) describes no upgrade to walk.")
            }
            let watched = try WatchedRehearsal(of: tooling, Tool.self, port: port, tell: progress.tell)
            _ = try await watched.walk(scenario, options, by: runner, progress) { report in
                line.clear()
                let environment = ProcessInfo.processInfo.environment
                let style = StandardStream.output.style(environment: environment)
                try StandardStream.output.write(ScenarioSummary(report).render(style))
                progress.tell("The page stays until Ctrl-C.")
                // Runs until Ctrl-C cancels it.
                while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
            }
        }
    }
}

extension ScenarioArguments {
    /// The scenario to show: the page shows one upgrade.
    ///
    /// - Throws: `ValidationError` if there are several.
    var watched: (Scenario, ScenarioOptions) {
        get throws {
            let scenarios = try scenarios ?? [.good]
            guard let scenario = scenarios.first, scenarios.count == 1 else {
                throw ValidationError("the page shows one scenario: name it with --scenario.")
            }
            return (scenario, try task(for: scenario).options())
        }
    }
}
#endif
