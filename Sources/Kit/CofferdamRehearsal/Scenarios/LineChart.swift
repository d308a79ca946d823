import Cofferdam

/// Lines over time, as SVG within a page: no meaning is in colour alone, and the page's table says the same in numbers.
struct LineChart {
    struct Line {
        /// What it is, for the legend.
        var name: String
        /// The stroke's pattern, as `stroke-dasharray`; empty for a whole line.
        var dashes: String
        /// The class that gives the colour.
        var style: String
        var points: [(x: Double, y: Double)]
        /// Whether the value stays until the next point.
        var isStepped = false
    }

    /// What it shows, for those who do not see it.
    var title: String
    var lines: [Line]
    /// What stands on the left, from the lowest to the highest, with what it is called.
    var ticks: [(y: Double, name: String)]
    /// Where something begins, with its name.
    var marks: [(x: Double, name: String)]
    /// The end on the right.
    var width: Double

    func svg() -> Markup {
        """
        <figure><svg viewBox="0 0 800 240" role="img" aria-label="\(title)">
        <title>\(title)</title>
        \(markMarkup)\(tickMarkup)\(lineMarkup)
        </svg><figcaption>\(title). \(legend)</figcaption></figure>

        """
    }

    private var legend: String {
        lines.map { "\($0.name): \($0.dashes.isEmpty ? "whole" : "dashed") line" }.joined(separator: "; ")
    }

    private var lowest: Double { ticks.map(\.y).min() ?? 0 }
    private var highest: Double { max(ticks.map(\.y).max() ?? 1, lowest + 1e-9) }

    private func x(_ value: Double) -> Double {
        Self.left + (Self.right - Self.left) * min(1, max(0, value / max(width, 1e-9)))
    }
    private func y(_ value: Double) -> Double {
        Self.bottom - (Self.bottom - Self.top) * (min(max(value, lowest), highest) - lowest) / (highest - lowest)
    }

    private var markMarkup: [Markup] {
        marks.map { mark in
            "<line class=\"axis\" x1=\"\(shown(x(mark.x)))\" x2=\"\(shown(x(mark.x)))\" y1=\"20\" y2=\"200\"/>\n"
        }
            + marks.enumerated().map { index, mark in
                // Two rows, so that short stages do not write over each other.
                "<text x=\"\(shown(x(mark.x) + 2))\" y=\"\(index.isMultiple(of: 2) ? 216 : 232)\">\(mark.name)</text>\n"
            }
    }

    private var tickMarkup: [Markup] {
        ticks.map { tick in
            """
            <line class="axis" x1="\(shown(Self.left))" x2="\(shown(Self.right))" y1="\(shown(y(tick.y)))" \
            y2="\(shown(y(tick.y)))"/><text x="0" y="\(shown(y(tick.y) + 4))">\(tick.name)</text>

            """
        }
    }

    private var lineMarkup: [Markup] {
        lines.map { line in
            "<polyline class=\"\(line.style)\" stroke-dasharray=\"\(line.dashes)\" points=\"\(path(line))\"/>\n"
        }
    }

    private func path(_ line: Line) -> String {
        var corners: [(x: Double, y: Double)] = []
        for point in line.points {
            if line.isStepped, let last = corners.last { corners.append((point.x, last.y)) }
            corners.append(point)
        }
        return corners.map { "\(shown(x($0.x))),\(shown(y($0.y)))" }.joined(separator: " ")
    }

    /// A tenth of a unit is finer than the eye.
    private func shown(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static let (left, right, top, bottom) = (170.0, 750.0, 20.0, 200.0)
}
