#if CommandLine
import CofferdamSupport
import ArgumentParser
import CofferdamContracts

struct MutantsCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "mutants",
            abstract:
                "Show that every rule can fail: break the adapter on purpose, and check that its rule notices.",
            discussion: """
                killed         its own rule detected it: the only outcome that counts
                killedByOther  only another rule detected it
                survived       no rule detected it
                noEffect       it never misbehaved
                crashed        it crashed its process without having declared so
                timedOut       it did not end in time
                notJudged      its rule does not exist, or the original adapter fails it
                skipped        its rule does not apply to the adapter, or cannot be judged
                               with its harness

                A mutant that was not killed prints a line on standard error when it ends, with --verbose each one does. Ctrl-C or \
                SIGTERM ends the run and prints the results so far.

                EXAMPLES
                  \(Tool.name) mutants
                  \(Tool.name) mutants --rule LIST-01
                  \(Tool.name) mutants --verbose
                  \(Tool.name) mutants --json | jq '.rows[] | select(.outcome != "killed")'
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "Only the mutants of this rule; repeatable.")
    var rule: [String] = []

    @Option(help: "Only the mutants of this operation.")
    var operation: String?

    @Flag(help: "Run every mutant in its own process.")
    var isolate = false

    @Option(help: "The file for the report of a complete run.")
    var output = ".build/reports/mutants.json"

    @OptionGroup var running: RunningOptions

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
            guard let mutants = tooling.mutants else {
                throw ValidationError("\(Tool.name) describes no mutants.")
            }
            let selection: MutantSelection
            do {
                let operations = operation.map { [$0] } ?? []
                let part = try ContractSelection(of: tooling, rules: rule, operations: operations, adapters: [])
                selection = MutantSelection(
                    rules: rule.isEmpty ? nil : part.rules,
                    operation: part.operations?.first
                )
            } catch {
                throw ValidationError("\(error)")
            }
            let report = await mutants.run(
                selection,
                .workers(isolate ? .everything : .whatMayTrap, patience: running.patience),
                running.mutantOptions,
                progress
            )
            if selection.isWhole, report.stop == nil { try OutputFile.write(report, to: output) }
            return CommandRun<Tool>.Outcome(report, isGreen: report.isGreen) { style in
                MutantTable(report: report).render(style)
            }
        }
    }
}
#endif
