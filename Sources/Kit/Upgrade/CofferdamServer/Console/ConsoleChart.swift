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

    /// For which share of users V2 failed since the stage began, beside V1; empty if no test decides.
    var failures: Markup {
        guard let span else { return "" }
        let isCompared = upgrade.status.stage.comparesAnswers
        let title = isCompared ? "Users with another answer" : "Users with a failure"
        guard span.points.count > 1 else {
            return PagePart.section(
                "failures",
                "\(title)",
                "<p class=\"muted\">The chart begins a minute after the first users.</p>"
            )
        }
        func shares(_ counts: (EvidenceSeries.Point) -> FailureCounts?) -> [(seconds: Double, share: Double)] {
            span.points.compactMap { point in
                counts(point)?.rate.map { (Double(max(0, point.at - span.begin)) / 1_000, $0) }
            }
        }
        let chart = LineChart.shares(
            "\(title), since the stage began",
            candidate: shares { $0.counts },
            legacy: shares { $0.legacy },
            unit: "share of users",
            seconds: span.seconds
        )
        let last = span.points.last
        let ranges = [("V2", last?.counts), ("V1", last?.legacy)].compactMap { name, counts in
            counts.flatMap { $0.total > 0 ? "\(name) \($0.percent), in 95 of 100 cases \($0.range)" : nil }
        }
        return PagePart.section(
            "failures",
            "\(title)",
            "\(chart.markup)<p class=\"muted\">\(ranges.joined(separator: " · "))</p>"
        )
    }

    /// The growth of the evidence, as a chart and a table; empty if there are too few points.
    var evidence: Markup {
        guard let span, span.points.count > 1 else { return "" }
        let chart = LineChart.evidence(
            "The evidence since the stage began",
            span.points.map { (Double(max(0, $0.at - span.begin)) / 1_000, $0.promotion, $0.rollback) },
            seconds: span.seconds
        )
        return "<h3>Evidence over time</h3>\(chart.markup)\(table(span.points, since: span.begin))"
    }

    /// The points of this stage, and when they begin, in milliseconds since 1970; nil if no test decides.
    private var span: (points: [EvidenceSeries.Point], begin: Int64, seconds: Double)? {
        guard let decision = upgrade.decision, upgrade.status.gate.hasUnits, !decision.tests.isEmpty else { return nil }
        let points = points(decision)
        let begin = min(points.first?.at ?? now, now - 1_000 * (upgrade.status.ageSeconds ?? 0))
        return (points, begin, Double(max(0, now - begin)) / 1_000)
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
            <div class="scroll" role="group" aria-label="The numbers of the evidence over time" tabindex="0">\(table)</div>\
            </details>
            """
    }
}

extension FailureCounts {
    /// The exact two-sided interval of the share, with a confidence of 95 %: "0.02 % to 0.17 %".
    fileprivate var range: String {
        func text(_ share: Double) -> String { FailureCounts(Int((share * 1e6).rounded()), of: 1_000_000).percent }
        return
            "\(text(ConfidenceBounds.lower(self, alpha: 0.025))) to \(text(ConfidenceBounds.upper(self, alpha: 0.025)))"
    }
}
#endif
