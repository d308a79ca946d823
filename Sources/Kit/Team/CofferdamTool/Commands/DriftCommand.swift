#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamUpgrade

struct DriftCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "drift",
            abstract: "Make the same calls through both SDKs, and show every field that differs.",
            discussion: """
                info   a declared difference, with its id
                warn   both sides return different values
                error  only one side has the value or the feature

                EXAMPLES
                  \(Tool.name) drift
                  \(Tool.name) drift --service http://127.0.0.1:8080
                  \(Tool.name) drift --json | jq '.drifts[] | select(.id == null)'
                  \(Tool.name) drift --known
                  \(Tool.name) drift --publish
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "List the declared differences, and make no calls.")
    var known = false

    @OptionGroup var publishing: PublishingOptions

    @Option(help: "Call this service instead of starting one.")
    var service: String?

    func validate() throws {
        if known && publishing.publish {
            throw ValidationError("--known makes no calls: there is nothing to publish.")
        }
    }

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
            guard let drift = tooling.drift else {
                throw ValidationError("\(Tool.name) describes no drift.")
            }
            if known {
                return CommandRun<Tool>.Outcome(drift.known, isGreen: true) { DriftCommand.table(drift.known, $0) }
            }
            let publication = try publishing.publication(by: tooling, Tool.name)
            let report = try await drift.run(service, progress)
            let isPublished = await publication?.publish(.drift, report, progress) ?? true
            return CommandRun<Tool>.Outcome(report, isGreen: report.isGreen, isPublished: isPublished) {
                DriftSummary(report).render($0)
            }
        }
    }

    private static func table(_ known: [DriftKnowledge], _ style: TerminalStyle) -> String {
        var table = TextTable([.init("ID"), .init("DIFFERENCE"), .init("CALL"), .init("FIELD")])
        for difference in known {
            let drifts = difference.drifts.isEmpty ? [nil] : difference.drifts.map(Optional.some)
            for drift in drifts {
                table.add([
                    .init(difference.id), .init(difference.title), .init(drift?.call ?? "–"),
                    .init(drift?.path ?? "–"),
                ])
            }
        }
        return table.render(style)
    }
}
#endif
