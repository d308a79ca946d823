#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

struct UpgradeExplainCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "explain",
            abstract:
                "Recompute a decision from its whole numbers, and show each beside its limit or threshold.",
            discussion: """
                Explains a log entry, and exits with 1 if the recorded decision does not follow from its numbers. Without an \
                entry, explains the gate's current verdict.

                EXAMPLES
                  \(Tool.name) upgrade explain
                  \(Tool.name) upgrade explain 3f2a9c1e
                  \(Tool.name) upgrade explain 3f2a9c1e --json | jq .contradictions
                """
        )
    }

    @Argument(help: "The id of the log entry, or a prefix of it.")
    var entry: String?

    @OptionGroup var capability: OneCapability
    @OptionGroup var options: UpgradeOptions

    func validate() throws {
        if entry?.isEmpty == true { throw ValidationError("The entry's id is empty.") }
    }

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: options.json) { tooling, _ in
            let upgrade = try await tooling.requiredUpgrade(Tool.name, at: options.place(in: .current))
            if let entry {
                let chosen = try upgrade.chosen(capability.capability.map { [$0] } ?? [])
                let controls = try await options.open(upgrade, mayCreate: false)
                let report = try Self.only(try await controls.explain(entry, among: chosen), entry)
                return CommandRun<Tool>.Outcome(report, isGreen: report.contradictions.isEmpty) {
                    report.render($0)
                }
            }
            let chosen = try capability.choose(in: upgrade)
            let controls = try await options.open(upgrade, mayCreate: false)
            do {
                let report = try await controls.explain(chosen)
                return CommandRun<Tool>.Outcome(report, isGreen: true) { report.render($0) }
            } catch let refusal as UpgradeRefusal {
                let report = ChangeReport(refusal, of: chosen.name)
                try StandardStream.error.write(report.problems(Tool.name))
                return CommandRun<Tool>.Outcome(report, isGreen: false) { _ in "" }
            }
        }
    }

    private static func only(_ reports: [DecisionReport], _ entry: String) throws -> DecisionReport {
        if let exact = reports.first(where: { $0.entry?.id == entry }) { return exact }
        guard let report = reports.first else { throw ValidationError("The log has no entry '\(entry)'.") }
        guard reports.count == 1 else {
            throw ValidationError("\(reports.count) entries begin with '\(entry)': give more of the id.")
        }
        return report
    }
}
#endif
