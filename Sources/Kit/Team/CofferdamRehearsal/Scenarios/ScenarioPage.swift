import Cofferdam
import CofferdamContracts
import CofferdamPages
import CofferdamUpgrade

/// A self-contained page with the scenarios' reports, usable in light and dark, with a keyboard and with a screen
/// reader. It is well-formed XML, and loads and runs nothing.
public struct ScenarioPage: Sendable {
    let reports: [ScenarioReport]

    /// - Parameter reports: one section each, in this order.
    public init(_ reports: [ScenarioReport]) { self.reports = reports }

    /// The page.
    public func html() -> String {
        let isGreen = reports.allSatisfy(\.isGreen)
        return Page(
            title: "The upgrade, rehearsed: \(reports.map(\.scenario).joined(separator: ", "))",
            heading: "The upgrade, rehearsed",
            verdict: isGreen
                ? .init(.good, "✓ every scenario ended as expected")
                : .init(.bad, "✗ a scenario did not end as expected"),
            content: reports.map(section).joined()
        )
        .html()
    }

    private func section(_ report: ScenarioReport) -> Markup {
        let id = "scenario-\(report.scenario)"
        let content: Markup = """
            <p class="\(report.isGreen ? "good" : "bad")"><strong>\(report.isGreen ? "✓" : "✗") \
            \(report.outcome?.words ?? "no end")</strong>\(problems(report))</p>
            <p><strong>Lost: \(report.lost)</strong></p>
            \(PagePart.list(report.lost.examples.map { Markup(text: $0) }))
            \(report.endings.map { "<p>\($0)</p>" as Markup } ?? "")
            \(ScenarioCharts(report).all)
            \(table("\(id)-stages", "Stages", Self.stageColumns, report.allRuns.map(row)))
            \(table("\(id)-decisions", "Decisions", Self.decisionColumns, report.decisions.flatMap(rows)))
            \(table("\(id)-log", "Who did what", Self.logColumns, report.log.map(row)))
            \(PagePart.facts(facts(report)))
            \(PagePart.preformatted(report.plan, label: "The plan of \(report.scenario)"))
            """
        return PagePart.section(id, "\(report.scenario): \(report.summary)", content)
    }

    private func facts(_ report: ScenarioReport) -> [(name: String, value: Markup)] {
        let following = report.following.map { [(name: "streams", value: "\($0)" as Markup)] } ?? []
        return [
            ("seed", "\(report.seed)"), ("mix", "\(report.mix)"), ("limit", "\(report.limit), for a rehearsal"),
            ("visits", "\(report.visiting)"),
        ] + following
    }

    private func problems(_ report: ScenarioReport) -> String {
        report.isGreen ? ", as expected" : ": " + report.problems.joined(separator: "; ")
    }

    private static let stageColumns: [PageTable.Column] = [
        "stage", .number("visits"), .number("units"), .number("units required"), .number("old p99"),
        .number("new p99"), "verdict", .wide("why"),
    ]
    private static let decisionColumns: [PageTable.Column] = [
        "at", "verdict", "test", "metric", .number("counts"), .number("evidence"), .number("required"), "reached",
    ]
    private static let logColumns: [PageTable.Column] = ["what", "by", "from", "to", .wide("why")]

    private func row(_ run: ScenarioReport.StageRun) -> [Markup] {
        [
            "\(run.stage.rawValue)", "\(run.visits)", "\(run.counts.units)", "\(run.needs?.description ?? "–")",
            "\(run.p99("legacy"))", "\(run.p99("candidate"))", "\(run.verdict)", "\(run.why)",
        ]
    }

    /// A line for each test that could be computed.
    private func rows(_ decision: Decision) -> [[Markup]] {
        decision.tests.map { test in
            [
                "\(decision.reading.stage.rawValue)", "\(decision.verdict.words)", "\(test.role.rawValue)",
                "\(test.metric.rawValue)", "\(test.counts.description)", "\(shown(test.value))",
                "\(shown(test.threshold))", "\(test.isReached ? "reached" : "–")",
            ]
        }
    }

    private func row(_ entry: AuditEntry) -> [Markup] {
        [
            "\(entry.request.action.name)", "\(entry.request.by)", "\(entry.before.stage.rawValue)",
            "\(entry.after.stage.rawValue)", "\(entry.request.reason)",
        ]
    }

    private func table(_ id: String, _ title: String, _ columns: [PageTable.Column], _ rows: [[Markup]]) -> Markup {
        if rows.isEmpty { return "" }
        return "<h3 id=\"\(id)\">\(title)</h3>\n\(PageTable(id, columns, rows).markup)"
    }

    private func shown(_ value: Double) -> String { "\((value * 1_000).rounded() / 1_000)" }
}
