extension LineChart {
    /// The evidence of a gate's tests at a time in seconds, as fractions of the threshold of each; nil if there is
    /// none.
    package typealias EvidencePlace = (seconds: Double, promotion: Double?, rollback: Double?)

    /// Returns a chart of the evidence over time. Values outside the chart's range are drawn at its edge.
    package static func evidence(
        _ title: String,
        _ places: [EvidencePlace],
        marks: [Place] = [],
        seconds: Double
    ) -> LineChart {
        let lines: [Line] = [
            Line(
                "to promote: the weakest test",
                .first,
                places.compactMap { place in place.promotion.map { (place.seconds, $0) } }
            ),
            Line(
                "to go back: the strongest test",
                .adverse,
                places.compactMap { place in place.rollback.map { (place.seconds, $0) } }
            ),
        ]
        return LineChart(
            title,
            lines.filter { !$0.points.isEmpty },
            unit: "evidence ln E, as a fraction of the threshold",
            ticks: [(-1, "–1"), (-0.5, "–0.5"), (0, "0"), (0.5, "0.5"), (1, "1"), (1.25, "")],
            threshold: (1, "enough"),
            marks: marks,
            seconds: seconds
        )
    }
}
