package import CofferdamSupport
import CofferdamUpgrade

/// A scenario's report for people: the stages with their verdicts, the reasons, and what was lost.
package struct ScenarioSummary {
    let report: ScenarioReport

    package init(_ report: ScenarioReport) { self.report = report }

    package func render(_ style: TerminalStyle) -> String {
        let title =
            "SCENARIO \(report.scenario): \(report.summary)\n"
            + "seed \(report.seed), mix \(report.mix), limit \(report.limit), for a rehearsal; "
            + "\(Int(report.seconds.rounded())) s\n\(report.visiting)\n"
        return [title, stages.render(style), why(style), end(style)].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var stages: TextTable {
        var table = TextTable([
            .init("STAGE"), .right("VISITS"), .right("UNITS"), .right("REQUIRED"), .right("SECONDS"), .right("OLD P99"),
            .right("NEW P99"),
            .init("VERDICT"),
        ])
        for run in report.allRuns {
            table.add([
                .init(run.stage.rawValue), .init("\(run.visits)"), .init("\(run.counts.units)"),
                .init(run.needs?.description ?? "–"),
                .init("\(Int((run.endedAt - run.startedAt).rounded()))"), .init(run.p99("legacy")),
                .init(run.p99("candidate")), .init(run.verdict, run.verdict == "roll back" ? .red : nil),
            ])
        }
        return table
    }

    private func why(_ style: TerminalStyle) -> String {
        var table = TextTable([.init("AT"), .init("WHY")])
        for run in report.stages where !run.why.isEmpty { table.add([.init(run.stage.rawValue), .init(run.why)]) }
        return table.isEmpty ? "" : table.render(style)
    }

    private func end(_ style: TerminalStyle) -> String {
        var text = style.apply(report.lost.isNothing ? .green : .yellow, to: "lost: \(report.lost)") + "\n"
        if let following = report.following { text = "\(following)\n" + text }
        if let endings = report.endings { text = "\(endings)\n" + text }
        for example in report.lost.examples { text += "  \(example.escapedForTerminal)\n" }
        let outcome = "scenario \(report.scenario): \(report.outcome?.words ?? "no end")"
        let problems = report.problems
        guard !problems.isEmpty else { return text + style.apply(.green, to: "\(outcome), as expected") + "\n" }
        return text + style.apply(.red, to: "\(outcome): \(problems.joined(separator: "; ").escapedForTerminal)") + "\n"
    }
}

extension ScenarioReport.StageRun {
    /// "12.3 ms", or a dash.
    func p99(_ side: String) -> String { latencies[side].map { "\($0.p99) ms" } ?? "–" }
}
