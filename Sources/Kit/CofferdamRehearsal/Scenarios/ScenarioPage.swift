import Cofferdam
import CofferdamContracts
import CofferdamUpgrade

/// The scenarios' reports as one page that needs nothing else: readable in light and dark, with a keyboard and with a screen
/// reader. It is well-formed XML as well, and loads and runs nothing.
public struct ScenarioPage: Sendable {
    let reports: [ScenarioReport]

    /// - Parameter reports: a section each, in this order.
    public init(_ reports: [ScenarioReport]) { self.reports = reports }

    /// The page.
    public func html() -> String {
        let isGreen = reports.allSatisfy(\.isGreen)
        let verdict = isGreen ? "✓ every scenario ended as expected" : "✗ a scenario did not end as expected"
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <title>The upgrade, rehearsed: \(reports.map(\.scenario).joined(separator: ", "))</title>
            <style>
            \(Markup(stringLiteral: HTMLStyle.text + Self.chartStyle))
            </style>
            </head>
            <body>
            <a class="skip" href="#main">Skip to the report</a>
            <header><h1>The upgrade, rehearsed</h1>
            <p class="\(isGreen ? "good" : "bad")" role="status">\(verdict)</p></header>
            <main id="main">
            \(reports.map(section))
            </main>
            </body>
            </html>

            """
        return page.description
    }

    private func section(_ report: ScenarioReport) -> Markup {
        let id = "scenario-\(report.scenario)"
        return """
            <section aria-labelledby="\(id)"><h2 id="\(id)">\(report.scenario): \(report.summary)</h2>
            <p class="\(report.isGreen ? "good" : "bad")"><strong>\(report.isGreen ? "✓" : "✗") \
            \(report.outcome?.words ?? "no end")</strong>\(problems(report))</p>
            <p><strong>Lost: \(report.lost)</strong></p>
            \(list(report.lost.examples))
            \(report.endings.map { "<p>\($0)</p>" as Markup } ?? "")
            \(ScenarioCharts(report).all)
            \(table("\(id)-stages", "Stages", Self.stageTitles, report.allRuns.map(row)))
            \(table("\(id)-decisions", "Decisions", Self.decisionTitles, report.decisions.flatMap(rows)))
            \(table("\(id)-log", "Who did what", Self.logTitles, report.log.map(row)))
            <dl><dt>seed</dt><dd>\(report.seed)</dd><dt>mix</dt><dd>\(report.mix)</dd><dt>limit</dt>\
            <dd>\(report.limit), for a rehearsal</dd><dt>visits</dt><dd>\(report.visiting)</dd>\
            \(report.following.map { "<dt>streams</dt><dd>\($0)</dd>" as Markup } ?? "")</dl>
            <pre class="scroll" tabindex="0" role="region" aria-label="The plan">\(report.plan)</pre>
            </section>

            """
    }

    private func problems(_ report: ScenarioReport) -> String {
        report.isGreen ? ", as expected" : ": " + report.problems.joined(separator: "; ")
    }

    private func list(_ items: [String]) -> Markup {
        items.isEmpty ? "" : "<ul>\(items.map { "<li>\($0)</li>" as Markup })</ul>"
    }

    private static let stageTitles = [
        "stage", "visits", "units", "units required", "old p99", "new p99", "verdict", "why",
    ]
    private static let decisionTitles = [
        "at", "verdict", "test", "metric", "counts", "evidence", "required", "reached",
    ]
    private static let logTitles = ["what", "by", "from", "to", "why"]

    private func row(_ run: ScenarioReport.StageRun) -> Markup {
        """
        <tr><th scope="row">\(run.stage.rawValue)</th><td>\(run.visits)</td>\
        <td>\(run.counts.units)</td><td>\(run.needs?.description ?? "–")</td>\
        <td>\(run.p99("legacy"))</td><td>\(run.p99("candidate"))</td><td>\(run.verdict)</td>\
        <td class="wide">\(run.why)</td></tr>

        """
    }

    /// A line for each test that could be computed.
    private func rows(_ decision: Decision) -> [Markup] {
        decision.tests.map { test in
            """
            <tr><th scope="row">\(decision.reading.stage.rawValue)</th><td>\(decision.verdict.words)</td>\
            <td>\(test.role.rawValue)</td><td>\(test.metric.rawValue)</td><td>\(test.counts.description)</td>\
            <td>\(shown(test.value))</td><td>\(shown(test.threshold))</td><td>\(test.isReached ? "reached" : "–")</td></tr>

            """
        }
    }

    private func row(_ entry: AuditEntry) -> Markup {
        """
        <tr><th scope="row">\(entry.request.action.name)</th><td>\(entry.request.by)</td>\
        <td>\(entry.before.stage.rawValue)</td><td>\(entry.after.stage.rawValue)</td>\
        <td class="wide">\(entry.request.reason)</td></tr>

        """
    }

    /// A table in a region that scrolls by itself, and that the keyboard reaches.
    private func table(_ id: String, _ title: String, _ titles: [String], _ rows: [Markup]) -> Markup {
        if rows.isEmpty { return "" }
        return """
            <h3 id="\(id)">\(title)</h3>
            <div class="scroll" role="region" aria-labelledby="\(id)" tabindex="0"><table>
            <thead><tr>\(titles.map { "<th scope=\"col\">\($0)</th>" as Markup })</tr></thead>
            <tbody>
            \(rows)</tbody>
            </table></div>

            """
    }

    private func shown(_ value: Double) -> String { "\((value * 1_000).rounded() / 1_000)" }

    private static let chartStyle = """

        figure { margin: 1rem 0; } svg { width: 100%; height: auto; }
        svg text { fill: var(--text); font-size: 12px; } .axis { stroke: var(--line); stroke-width: 0.5; }
        polyline { fill: none; stroke-width: 2; } .old { stroke: var(--text); } .new { stroke: var(--good); }
        .back { stroke: var(--bad); } figcaption { color: var(--muted); } pre { padding: 0.5rem; }
        """
}
