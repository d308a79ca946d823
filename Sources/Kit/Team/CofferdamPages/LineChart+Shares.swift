extension LineChart {
    /// Returns a chart of shares over time, in percent, from zero to the next round number above the largest.
    ///
    /// - Parameters:
    ///   - candidate: the share of V2 at a time in seconds, 0 to 1.
    ///   - legacy: the same of V1; empty if it is not counted.
    package static func shares(
        _ title: String,
        candidate: [(seconds: Double, share: Double)],
        legacy: [(seconds: Double, share: Double)],
        unit: String,
        seconds: Double
    ) -> LineChart {
        let lines = [
            Line("V2", .first, candidate.map { ($0.seconds, $0.share * 100) }),
            Line("V1", .second, legacy.map { ($0.seconds, $0.share * 100) }),
        ]
        let top = roundAbove((candidate + legacy).map { $0.share * 100 }.max() ?? 0)
        return LineChart(
            title,
            lines.filter { !$0.points.isEmpty },
            unit: unit,
            ticks: [0, 0.5, 1].map { (top * $0, percent(top * $0)) },
            seconds: seconds
        )
    }

    /// 1, 2 or 5 times a power of ten, at least 0.01 and at most 100.
    private static func roundAbove(_ percent: Double) -> Double {
        var unit = 0.01
        while unit < 100 {
            for factor in [1.0, 2, 5] where unit * factor >= percent { return unit * factor }
            unit *= 10
        }
        return 100
    }

    private static func percent(_ value: Double) -> String {
        let text = "\((value * 1_000).rounded() / 1_000)"
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " %"
    }
}
