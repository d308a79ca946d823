/// A chart of lines over time, as SVG within a page: axes with their units, a labelled threshold, and a legend. Labels
/// do not overlap, and no meaning is conveyed by colour alone: lines also differ in their dashes.
package struct LineChart: Sendable {
    package struct Line: Sendable {
        /// How the line is drawn.
        package enum Style: String, Sendable, Hashable { case first, second, adverse }

        /// The line's name in the legend.
        package var name: String
        package var style: Style
        package var points: [(x: Double, y: Double)]
        /// Whether the value stays until the next point.
        package var isStepped: Bool

        package init(
            _ name: String,
            _ style: Style,
            _ points: [(x: Double, y: Double)],
            isStepped: Bool = false
        ) {
            (self.name, self.style, self.points, self.isStepped) = (name, style, points, isStepped)
        }
    }

    /// A labelled position on an axis.
    package typealias Place = (at: Double, name: String)

    package var title: String
    package var lines: [Line]
    /// The quantity shown and its unit: "latency, ms".
    package var unit: String
    /// The labelled values on the left; those that would overlap are left out.
    package var ticks: [Place]
    /// The threshold for the values; nil for none.
    package var threshold: Place?
    /// Points in time at which something begins, in seconds.
    package var marks: [Place]
    /// The time at the right edge, in seconds.
    package var seconds: Double

    package init(
        _ title: String,
        _ lines: [Line],
        unit: String,
        ticks: [Place],
        threshold: Place? = nil,
        marks: [Place] = [],
        seconds: Double
    ) {
        (self.title, self.lines, self.unit, self.ticks) = (title, lines, unit, ticks)
        (self.threshold, self.marks) = (threshold, marks)
        self.seconds = max(seconds, 1e-9)
    }

    package var markup: Markup {
        """
        <figure><figcaption>\(title)</figcaption>
        <div class="scroll" role="group" aria-label="\(title), chart" tabindex="0">\
        <svg class="chart" viewBox="0 0 \(shown(Self.width)) \(shown(bottom + 40))" role="img" aria-label="\(summary)">
        \(valueAxis)\(timeAxis)\(markMarkup)\(lineMarkup)\(thresholdMarkup)</svg></div>
        \(legend)</figure>

        """
    }

    // MARK: Places

    private static let (width, right, height, laneHeight, letter) = (720.0, 704.0, 176.0, 16.0, 6.8)

    /// The space for the longest label on the left.
    private var left: Double { min(240, Self.extent(shownTicks.map(\.name).max { $0.count < $1.count } ?? "") + 12) }
    private var top: Double { 24 + Double(lanes.count) * Self.laneHeight }
    private var bottom: Double { top + Self.height }

    private var lowest: Double { ticks.map(\.at).min() ?? 0 }
    private var highest: Double { max(ticks.map(\.at).max() ?? 1, lowest + 1e-9) }

    private func x(_ value: Double) -> Double { left + (Self.right - left) * min(1, max(0, value / seconds)) }
    private func y(_ value: Double) -> Double {
        bottom - Self.height * (min(max(value, lowest), highest) - lowest) / (highest - lowest)
    }

    /// Returns roughly the largest width that a text may have.
    private static func extent(_ text: String) -> Double { Double(text.count) * letter }

    /// Rounds to a tenth of a unit, which is finer than the eye can see.
    private func shown(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    // MARK: Axes

    /// The ticks for which there is room, starting from the lowest; the highest is always shown.
    private var shownTicks: [Place] {
        let room = 16 / Self.height * (highest - lowest)
        let sorted = ticks.sorted { $0.at < $1.at }
        guard let last = sorted.last else { return [] }
        var shown: [Place] = []
        for tick in sorted.dropLast()
        where tick.at - (shown.last?.at ?? -.infinity) >= room && last.at - tick.at >= room {
            shown.append(tick)
        }
        return shown + [last]
    }

    private var valueAxis: [Markup] {
        let unit: Markup = "<text x=\"0\" y=\"12\">\(self.unit)</text>\n"
        return [unit]
            + shownTicks.map { tick in
                """
                <line class="grid" x1="\(shown(left))" x2="\(shown(Self.right))" y1="\(shown(y(tick.at)))" \
                y2="\(shown(y(tick.at)))"/><text x="\(shown(left - 8))" y="\(shown(y(tick.at) + 4))" \
                text-anchor="end">\(tick.name)</text>

                """
            }
    }

    /// The step between two labels and the unit of time, both in seconds, and the unit's name. The step is round and
    /// fits at most seven times.
    private var timeUnit: (step: Double, unit: Double, name: String) {
        let units: [(Double, String, [Double])] = [
            (1, "seconds", [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]), (60, "minutes", [1, 2, 5, 10, 15, 30]),
            (3_600, "hours", [1, 2, 3, 6, 12]), (86_400, "days", [1, 2, 5, 7, 14, 30, 90, 365]),
        ]
        for (unit, name, steps) in units {
            for step in steps where seconds / (unit * step) <= 7 { return (unit * step, unit, name) }
        }
        return (seconds / 4, 86_400, "days")
    }

    private var timeAxis: [Markup] {
        let (step, unit, name) = timeUnit
        let axis: Markup = """
            <line class="axis" x1="\(shown(left))" x2="\(shown(Self.right))" y1="\(shown(bottom))" y2="\(shown(bottom))"/>
            <text x="\(shown((left + Self.right) / 2))" y="\(shown(bottom + 36))" text-anchor="middle">time, \(name)</text>

            """
        let times = stride(from: 0, through: seconds, by: step).map { time -> Markup in
            let number = time / unit
            let text = number == number.rounded() ? "\(Int(number))" : "\((number * 10).rounded() / 10)"
            return """
                <line class="axis" x1="\(shown(x(time)))" x2="\(shown(x(time)))" y1="\(shown(bottom))" \
                y2="\(shown(bottom + 4))"/><text x="\(shown(x(time)))" y="\(shown(bottom + 18))" \
                text-anchor="middle">\(text)</text>

                """
        }
        return [axis] + times
    }

    // MARK: Marks

    /// The marks in rows above the lines, so that no name overlaps the next.
    private var lanes: [[(mark: Place, start: Double)]] {
        var lanes: [[(mark: Place, start: Double)]] = []
        var ends: [Double] = []
        for mark in marks {
            let extent = Self.extent(mark.name)
            // At the right edge, a name goes to the left of its line.
            let start = min(x(mark.at) + 3, Self.right - extent)
            if let lane = ends.firstIndex(where: { $0 < start }) {
                lanes[lane].append((mark, start))
                ends[lane] = start + extent + 6
            } else {
                lanes.append([(mark, start)])
                ends.append(start + extent + 6)
            }
        }
        return lanes
    }

    private var markMarkup: [Markup] {
        lanes.enumerated().flatMap { lane, names in
            names.map { name -> Markup in
                let baseline = 32 + Double(lane) * Self.laneHeight
                return """
                    <line class="mark" x1="\(shown(x(name.mark.at)))" x2="\(shown(x(name.mark.at)))" \
                    y1="\(shown(baseline - 10))" y2="\(shown(bottom))"/><text class="mark-name" \
                    x="\(shown(name.start))" y="\(shown(baseline))">\(name.mark.name)</text>

                    """
            }
        }
    }

    // MARK: Lines

    private var lineMarkup: [Markup] {
        lines.map { "<polyline class=\"\($0.style.rawValue)\" points=\"\(path($0))\"/>\n" }
    }

    private func path(_ line: Line) -> String {
        var corners: [(x: Double, y: Double)] = []
        for point in line.points {
            if line.isStepped, let last = corners.last { corners.append((point.x, last.y)) }
            corners.append(point)
        }
        return corners.map { "\(shown(x($0.x))),\(shown(y($0.y)))" }.joined(separator: " ")
    }

    private var thresholdMarkup: Markup {
        guard let threshold else { return "" }
        let height = y(threshold.at)
        // Goes below the line if it would otherwise overlap the names of the marks.
        let baseline = height - top < 16 ? height + 14 : height - 5
        return """
            <line class="threshold" x1="\(shown(left))" x2="\(shown(Self.right))" y1="\(shown(height))" \
            y2="\(shown(height))"/><text class="threshold-name" x="\(shown(Self.right))" y="\(shown(baseline))" \
            text-anchor="end">\(threshold.name)</text>

            """
    }

    /// Empty for a single line without a threshold, since the title names it.
    private var legend: Markup {
        guard lines.count > 1 || threshold != nil else { return "" }
        var items = lines.map { line -> Markup in
            "<li><span class=\"key \(line.style.rawValue)\"></span>\(line.name)</li>"
        }
        if let threshold { items.append("<li><span class=\"key threshold\"></span>\(threshold.name)</li>") }
        return "<ul class=\"legend\">\(items)</ul>"
    }

    /// The chart's description for screen readers; a table on the page has the numbers.
    private var summary: String {
        let names = lines.map(\.name).joined(separator: ", ")
        return "\(title): \(names)" + (threshold.map { "; threshold: \($0.name)" } ?? "")
    }
}
