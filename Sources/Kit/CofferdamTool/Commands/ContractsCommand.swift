#if CommandLine
    import ArgumentParser
    import CofferdamContracts

    struct ContractsCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "contracts",
                abstract: "Hold every adapter against the contract, and print the matrix.",
                discussion: """
                    ✓ kept   ✗ violated   – skipped, with the reason   ! crashed   … timed out

                    EXAMPLES
                      \(Tool.name) contracts
                      \(Tool.name) contracts --rule LIST-01 --rule LIST-02
                      \(Tool.name) contracts --json | jq '.rows[] | select(.outcome == "violated")'
                    """
            )
        }

        @Flag(help: "Print JSON.")
        var json = false

        @Option(help: "Only this rule; may be given several times.")
        var rule: [String] = []

        @Option(help: "Only this adapter; may be given several times.")
        var adapter: [String] = []

        func run() async throws {
            try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
                let selection: ContractSelection
                do {
                    selection = try ContractSelection(of: tooling, rules: rule, adapters: adapter)
                } catch {
                    throw ValidationError("\(error)")
                }
                let report = await tooling.runContracts(selection, Digest.sha256(of:), progress)
                return CommandRun<Tool>.Outcome(report, isGreen: report.isGreen) { style in
                    ContractMatrix(report, described: tooling).render(style)
                }
            }
        }
    }
#endif
