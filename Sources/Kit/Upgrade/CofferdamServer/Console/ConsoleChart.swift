#if Server
import Cofferdam
import CofferdamPages
import CofferdamUpgrade

/// The growth of an upgrade's evidence in its epoch, as a chart and as a table.
struct ConsoleChart: Sendable {
    let upgrade: ConsoleUpgrade
    /// The points kept so far; nil if there are none.
    let series: EvidenceSeries?
    /// Milliseconds since 1970.
    let now: Int64

    /// The maximum number of rows of the table.
    private static let maxRows = 12

    /// The chart and the table; empty if no test decides.
    var markup: Markup {
        guard let decision = upgrade.decision, upgrade.status.gate.hasUnits, !decision.tests.isEmpty else {
            return ""
        }
        let points = points(decision)
        guard points.count > 1, let first = points.first else {
            return PagePart.section(
                "growth",
                "Evidence over time",
                "<p class=\"muted\">The chart begins a minute after the first units.</p>"
            )
        }
        let begin = min(first.at, now - 1_000 * (upgrade.status.ageSeconds ?? 0))
        let chart = LineChart.evidence(
            "The evidence since the stage began",
            points.map { (Double(max(0, $0.at - begin)) / 1_000, $0.promotion, $0.rollback) },
            seconds: Double(max(0, now - begin)) / 1_000
        )
        return PagePart.section("growth", "Evidence over time", "\(chart.markup)\(table(points, since: begin))")
    }

    /// The points that were kept, and the gate's current one.
    private func points(_ decision: Decision) -> [EvidenceSeries.Point] {
        let kept = series.map { $0.epoch == upgrade.status.epoch ? $0.points : [] } ?? []
        return kept.filter { $0.at < now } + [decision.point(at: now)]
    }

    private func table(_ points: [EvidenceSeries.Point], since begin: Int64) -> Markup {
        func part(_ value: Double?) -> Markup { value.map { "\($0.shown(2))" } ?? "–" }
        let rows = points.thinned(to: Self.maxRows).map { point -> [Markup] in
            [
                "\(ShownTime.span(seconds: max(0, point.at - begin) / 1_000))",
                part(point.promotion), part(point.rollback), "\(point.counts.failures)", "\(point.counts.total)",
            ]
        }
        let columns: [PageTable.Column] = [
            "After", .number("To promote"), .number("To go back"), .number("Failed"), .number("Units"),
        ]
        let table = PageTable("growth", columns, rows).bare
        return """
            <details id="growth-numbers"><summary>The numbers</summary>\
            <div class="scroll" role="region" aria-label="The numbers of the evidence over time" tabindex="0">\(table)</div>\
            </details>
            """
    }
}
#endif
