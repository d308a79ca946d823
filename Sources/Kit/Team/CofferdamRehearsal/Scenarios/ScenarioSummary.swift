package import CofferdamSupport
import CofferdamUpgrade

/// A scenario's report for people: the stages with their verdicts, the reasons, and what was lost.
package struct ScenarioSummary {
    let report: ScenarioReport
    /// Whether each stage's reason is shown, also if it went on as it should.
    let isVerbose: Bool

    package init(_ report: ScenarioReport, isVerbose: Bool = false) {
        self.report = report
        self.isVerbose = isVerbose
    }

    package func render(_ style: TerminalStyle) -> String {
        let title =
            "SCENARIO \(report.scenario): \(report.summary)\n"
            + "seed \(report.seed), mix \(report.mix),\nlimit \(report.limit), for a rehearsal; "
            + "\(Int(report.seconds.rounded())) s\n\(Self.paragraph("\(report.visiting)"))"
        return [title, stages.render(style), why(style), end(style)].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Lines of at most 80 columns.
    private static func paragraph(_ text: String) -> String { text.wrapped(to: 80).map { $0 + "\n" }.joined() }

    private var stages: TextTable {
        var table = TextTable([
            .init("STAGE"), .right("USERS"), .right("NEEDED"), .right("P99 ON V1"), .right("ON V2"),
            .init("VERDICT"),
        ])
        for run in report.allRuns {
            table.add([
                .init(run.stage.words), .init(run.counts.units.grouped), .init(run.needs?.units.grouped ?? "–"),
                .init(Self.latency(run, "legacy")), .init(Self.latency(run, "candidate")),
                .init(run.verdict, run.verdict == "roll back" ? .red : nil),
            ])
        }
        return table
    }

    /// "410 ms", or a dash.
    private static func latency(_ run: ScenarioReport.StageRun, _ side: String) -> String {
        run.latencies[side].map { $0.p99 < 10 ? "\($0.p99) ms" : "\(Int($0.p99.rounded())) ms" } ?? "–"
    }

    private func why(_ style: TerminalStyle) -> String {
        var text = ""
        for run in report.stages where !run.why.isEmpty && (isVerbose || !run.wentOn) {
            text += "At \(run.stage.words): \(run.why)".escapedForTerminal + "\n"
        }
        return text
    }

    private func end(_ style: TerminalStyle) -> String {
        var text = style.apply(report.lost.isNothing ? .green : .yellow, to: "lost: \(report.lost)") + "\n"
        if let following = report.following { text = Self.paragraph("\(following)") + text }
        if let endings = report.endings { text = Self.paragraph("\(endings)") + text }
        for example in report.lost.examples { text += "  \(example.escapedForTerminal)\n" }
        let outcome = "scenario \(report.scenario): \(report.outcome?.words ?? "no end")"
        let problems = report.problems
        guard !problems.isEmpty else { return text + style.apply(.green, to: "\(outcome), as expected") + "\n" }
        return text + style.apply(.red, to: "\(outcome): \(problems.joined(separator: "; ").escapedForTerminal)") + "\n"
    }
}

extension ScenarioReport.StageRun {
    /// Whether the stage ended as those do that go on.
    fileprivate var wentOn: Bool { ["promote", "a person advances", "arrived"].contains(verdict) }

    /// "12.3 ms", or a dash.
    func p99(_ side: String) -> String { latencies[side].map { "\($0.p99) ms" } ?? "–" }
}
