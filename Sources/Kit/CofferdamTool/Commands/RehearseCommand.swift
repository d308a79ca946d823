#if CommandLine
    import ArgumentParser
    import CofferdamContracts

    struct RehearseCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "rehearse",
                abstract: "Go the whole way once with each SDK, and show the two worlds side by side.",
                discussion: """
                    EXAMPLES
                      \(Tool.name) rehearse
                      \(Tool.name) rehearse --json | jq '.catalogue.differences'
                    """
            )
        }

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
                guard let rehearse = tooling.rehearse else {
                    throw ValidationError("\(Tool.name) describes no rehearsal.")
                }
                var report = try await rehearse(progress)
                let everything = ContractSelection(all: tooling)
                report.contracts = await tooling.runContracts(everything, .here(), progress)
                return CommandRun<Tool>.Outcome(report, isGreen: report.isGreen) { style in
                    RehearsalSummary(report, described: tooling).render(style)
                }
            }
        }
    }
#endif
