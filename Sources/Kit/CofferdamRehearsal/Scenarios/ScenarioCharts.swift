import Cofferdam
import CofferdamUpgrade

/// What a scenario's page draws.
struct ScenarioCharts {
    let report: ScenarioReport

    init(_ report: ScenarioReport) { self.report = report }

    var all: [Markup] { [stages, evidence, latencies].map { $0.svg() } }

    private var end: Double { report.allRuns.map(\.endedAt).max() ?? 1 }

    private var marks: [(x: Double, name: String)] {
        report.allRuns.map { ($0.startedAt, $0.verdict.isEmpty ? "?" : $0.verdict) }
    }

    private var stages: LineChart {
        var names: [Stage] = []
        for run in report.allRuns.sorted(by: { $0.stage < $1.stage }) where names.last != run.stage {
            names.append(run.stage)
        }
        func height(_ run: ScenarioReport.StageRun) -> Double { Double(names.firstIndex(of: run.stage) ?? 0) }
        let points = report.allRuns.flatMap { [($0.startedAt, height($0)), ($0.endedAt, height($0))] }
        return LineChart(
            title: "The stage over \(Int(end.rounded(.up))) s, with each one's verdict",
            lines: [.init(name: "stage", dashes: "", style: "new", points: points, isStepped: true)],
            ticks: names.enumerated().map { (Double($0.offset), $0.element.rawValue) },
            marks: marks,
            width: end
        )
    }

    private var evidence: LineChart {
        let points = report.stages.flatMap(\.points)
        return LineChart(
            title: "The evidence against its threshold: at 1 it is enough",
            lines: [
                .init(name: "to promote", dashes: "", style: "new", points: points.map { ($0.seconds, $0.promotion) }),
                .init(
                    name: "to go back",
                    dashes: "6 3",
                    style: "back",
                    points: points.map { ($0.seconds, $0.rollback) }
                ),
            ],
            ticks: [(-1, "–1"), (0, "0: none"), (1, "1: enough")],
            marks: marks,
            width: end
        )
    }

    private var latencies: LineChart {
        func line(_ side: Side, _ dashes: String, _ style: String) -> LineChart.Line {
            let runs = report.allRuns.compactMap { run in run.latencies[side.rawValue].map { (run, $0.p99) } }
            return LineChart.Line(
                name: side == .legacy ? "old SDK" : "new SDK",
                dashes: dashes,
                style: style,
                points: runs.flatMap { [($0.0.startedAt, $0.1), ($0.0.endedAt, $0.1)] },
                isStepped: true
            )
        }
        let highest = report.allRuns.flatMap { $0.latencies.values.map(\.p99) }.max() ?? 1
        return LineChart(
            title: "The 99th percentile of each side's calls, by stage",
            lines: [line(.legacy, "6 3", "old"), line(.candidate, "", "new")],
            ticks: [(0, "0 ms"), (highest / 2, "\(Int(highest / 2)) ms"), (highest, "\(Int(highest)) ms")],
            marks: marks,
            width: end
        )
    }
}
