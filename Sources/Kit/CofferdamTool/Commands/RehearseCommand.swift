#if CommandLine
    import ArgumentParser
    import CofferdamContracts
    import CofferdamRehearsal

    struct RehearseCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "rehearse",
                abstract: "Go the whole way of the upgrade under generated traffic, and show what users would lose.",
                discussion: """
                    Goes the whole way once with each SDK, holds every adapter against the contract, and then walks the upgrade
                    through all its stages, as its gates decide. With --scenario it only walks: through what may go wrong, one
                    thing at a time, and with 'all' through each. Users read, walk over pages and write; some follow a feed,
                    and their streams go from one SDK to the other and back as the stage wants it: each item that was published
                    must come once, and in order. The limit is for the rehearsal alone: so many units as the
                    plan names there must come by.

                    SCENARIOS
                    \(Scenario.all.map { "  \($0.name.padded(to: 12)) \($0.summary)" }.joined(separator: "\n"))

                    EXAMPLES
                      \(Tool.name) rehearse
                      \(Tool.name) rehearse --json | jq '.catalogue.differences'
                      \(Tool.name) rehearse --scenario wrong --report wrong.html
                      \(Tool.name) rehearse --scenario all --limit 0.02 --seed 7
                      \(Tool.name) rehearse --scenario legacy-down --json | jq .lost
                    """
            )
        }

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var walk: ScenarioArguments

        @Option(help: ArgumentHelp("Write the upgrade's report there, as a page of HTML.", valueName: "file"))
        var report: String?

        func run() async throws {
            try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
                let outcome: CommandRun<Tool>.Outcome
                let walked: [ScenarioReport]
                if let scenarios = try walk.scenarios {
                    guard let scenarioTooling = tooling.scenarios else {
                        throw ValidationError("\(Tool.name) describes no upgrade to walk.")
                    }
                    walked = try await walk.walk(scenarios, scenarioTooling, progress)
                    outcome = Self.outcome(of: walked)
                } else {
                    let report = try await rehearsal(tooling, progress)
                    walked = report.scenarios
                    outcome = CommandRun<Tool>.Outcome(report, isGreen: report.isGreen) { style in
                        RehearsalSummary(report, described: tooling).render(style)
                    }
                }
                if let report {
                    let page: [UInt8] = Array(ScenarioPage(walked).html().utf8)
                    try OutputFile.write(page, to: report)
                }
                return outcome
            }
        }

        private func rehearsal(_ tooling: Tooling, _ progress: ToolProgress) async throws -> RehearsalReport {
            guard let rehearse = tooling.rehearse else {
                throw ValidationError("\(Tool.name) describes no rehearsal.")
            }
            var report = try await rehearse(progress)
            report.contracts = await tooling.runContracts(
                ContractSelection(all: tooling),
                .here(isolation: .workers()),
                progress
            )
            if let scenarios = tooling.scenarios {
                report.scenarios = try await walk.walk([.good], scenarios, progress)
            }
            return report
        }

        /// One scenario is the whole document; several are a list in it.
        private static func outcome(of walked: [ScenarioReport]) -> CommandRun<Tool>.Outcome {
            let document: any Encodable = walked.count == 1 ? walked[0] : ScenarioDocument(scenarios: walked)
            return CommandRun<Tool>.Outcome(document, isGreen: walked.allSatisfy(\.isGreen)) { style in
                walked.map { ScenarioSummary($0).render(style) }.joined(separator: "\n")
            }
        }
    }

    private struct ScenarioDocument: Encodable {
        let scenarios: [ScenarioReport]
    }

    extension String {
        fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
    }
#endif
