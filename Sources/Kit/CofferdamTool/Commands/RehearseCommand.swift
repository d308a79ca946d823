#if CommandLine
    import ArgumentParser

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
                let report = try await rehearse(progress)
                return CommandRun<Tool>.Outcome(report, isGreen: report.isGreen) { style in
                    RehearsalSummary(report, described: tooling).render(style)
                }
            }
        }
    }
#endif
