import Cofferdam
import CofferdamPages
import CofferdamUpgrade

/// The charts of a scenario's page.
struct ScenarioCharts {
    let report: ScenarioReport

    init(_ report: ScenarioReport) { self.report = report }

    var all: [Markup] { [stages, evidence, latencies].map(\.markup) }

    private var end: Double { report.allRuns.map(\.endedAt).max() ?? 1 }

    private var marks: [LineChart.Place] {
        report.allRuns.map { ($0.startedAt, $0.verdict.isEmpty ? "no verdict" : $0.verdict) }
    }

    private var stages: LineChart {
        var names: [Stage] = []
        for run in report.allRuns.sorted(by: { $0.stage < $1.stage }) where names.last != run.stage {
            names.append(run.stage)
        }
        func height(_ run: ScenarioReport.StageRun) -> Double { Double(names.firstIndex(of: run.stage) ?? 0) }
        let points = report.allRuns.flatMap { [($0.startedAt, height($0)), ($0.endedAt, height($0))] }
        return LineChart(
            "The stage over time, with each one's verdict",
            [.init("stage", .first, points, isStepped: true)],
            unit: "stage",
            ticks: names.enumerated().map { (Double($0.offset), $0.element.rawValue) },
            marks: marks,
            seconds: end
        )
    }

    private var evidence: LineChart {
        .evidence(
            "The evidence, as a part of what each test requires",
            report.stages.flatMap(\.points).map { ($0.seconds, $0.promotion, $0.rollback) },
            marks: marks,
            seconds: end
        )
    }

    private var latencies: LineChart {
        func line(_ side: Side, _ style: LineChart.Line.Style) -> LineChart.Line {
            let runs = report.allRuns.compactMap { run in run.latencies[side.rawValue].map { (run, $0.p99) } }
            return LineChart.Line(
                side == .legacy ? "old SDK" : "new SDK",
                style,
                runs.flatMap { [($0.0.startedAt, $0.1), ($0.0.endedAt, $0.1)] },
                isStepped: true
            )
        }
        let highest = report.allRuns.flatMap { $0.latencies.values.map(\.p99) }.max() ?? 1
        let step = Self.step(highest / 4)
        return LineChart(
            "The 99th percentile of each side's calls, by stage",
            [line(.legacy, .second), line(.candidate, .first)],
            unit: "latency, ms",
            ticks: stride(from: 0, through: highest + step, by: step).map { ($0, Self.shown($0)) },
            marks: marks,
            seconds: end
        )
    }

    /// The smallest 1, 2 or 5 times a power of ten that is at least `least`.
    private static func step(_ least: Double) -> Double {
        var power = 0.001
        while power * 10 <= least { power *= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? 1
    }

    private static func shown(_ value: Double) -> String {
        value >= 10 || value == value.rounded() ? "\(Int(value.rounded()))" : "\((value * 1_000).rounded() / 1_000)"
    }
}
