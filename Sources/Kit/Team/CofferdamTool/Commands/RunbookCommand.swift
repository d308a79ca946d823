#if CommandLine
import ArgumentParser
import CofferdamSupport

struct RunbookCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "runbook",
            abstract: "Print a runbook for your upgrade, with your tool's names and addresses, as Markdown.",
            discussion: """
                Each command in it can be pasted. Name the places that you have; without one, the runbook is for a server.

                EXAMPLES
                  \(Tool.name) runbook --server https://upgrades.example.com \\
                    --owner "the app team" > RUNBOOK.md
                """
        )
    }

    @Option(help: "Who keeps the runbook up to date.")
    var owner = "NAME, and how to reach them"

    @Option(help: ArgumentHelp("The date of the last drill.", valueName: "date"))
    var lastDrill: String?

    @Option(name: .shortAndLong, help: "An upgrade; repeatable. Default: those of the tool.")
    var capability: [String] = []

    @Option(help: ArgumentHelp("The directory in which the app keeps its upgrades.", valueName: "directory"))
    var state: String?

    @OptionGroup var fleet: FleetOptions

    @Option(help: "The prefix of all keys in etcd.")
    var prefix = "PREFIX"

    @Option(help: ArgumentHelp("The cofferdam-server that holds the upgrades.", valueName: "url"))
    var server: String?

    func run() async throws {
        let text = try await CommandRun<Tool>.use { tooling in
            let known = tooling.upgrades?.capabilities.map(\.name) ?? []
            let names = capability.isEmpty ? known : capability
            guard !names.isEmpty else { throw ValidationError("Name the upgrade with --capability.") }
            var places = Runbook.Places(directory: state, server: server)
            if let etcd = fleet.etcd {
                let evidence = [
                    ("--prometheus", fleet.prometheus), ("--job", fleet.job), ("--instances", fleet.instances),
                ]
                places.fleet = (
                    etcd, prefix,
                    evidence.compactMap { name, value in value.map { "\(name) \($0)" } }.joined(separator: " "),
                    fleet.prometheus ?? "PROMETHEUS"
                )
            }
            if state == nil, fleet.etcd == nil, server == nil { places.server = "https://upgrades.example.com" }
            return Runbook(
                tool: Tool.name,
                capabilities: names,
                costOfGoingBack: tooling.upgrades?.costOfGoingBack,
                places: places,
                owner: owner,
                lastDrill: lastDrill
            ).text
        }
        try StandardStream.output.write(text)
    }
}
#endif
