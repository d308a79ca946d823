#if CommandLine
import CofferdamSupport
import ArgumentParser
import Cofferdam
import CofferdamUpgrade

struct UpgradeHistoryCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "history",
            abstract: "Show all changes, newest first: who made them, why, and the gate's verdict.",
            discussion: """
                EXAMPLES
                  \(Tool.name) upgrade history
                  \(Tool.name) upgrade history --last 5
                  \(Tool.name) upgrade history --json | jq '.[] | select(.action == "kill")'
                """
        )
    }

    @Option(help: "The maximum number of lines.")
    var last = 20

    @OptionGroup var capabilities: ManyCapabilities
    @OptionGroup var options: UpgradeOptions

    func validate() throws {
        if last < 1 { throw ValidationError("--last must be at least 1.") }
    }

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: options.json) { tooling, _ in
            let upgrade = try await tooling.requiredUpgrade(Tool.name, at: options.place(in: .current))
            let chosen = try upgrade.chosen(capabilities.capability)
            let controls = try await options.open(upgrade, mayCreate: false)
            let lines = try await controls.history(of: chosen, last: last)
            return CommandRun<Tool>.Outcome(lines, isGreen: true) { HistoryLine.table(lines).render($0) }
        }
    }
}
#endif
