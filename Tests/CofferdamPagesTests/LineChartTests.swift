import CofferdamPages
import Foundation
import Testing

struct LineChartTests {
    /// Thirty short stages of a long upgrade, with many ticks on the left.
    private static let crowded = LineChart(
        "A <crowded> chart",
        [.init("old", .second, [(0, 1), (5, 20)]), .init("new", .first, [(0, 3), (300, 7)], isStepped: true)],
        unit: "latency, ms",
        ticks: (0...40).map { (Double($0), "\($0) of 40") },
        threshold: (40, "enough"),
        marks: (0..<30).map { (Double($0) * 0.7, "verdict \($0)") } + [(299, "the end")],
        seconds: 300
    )

    /// A text in the chart, with its position.
    private struct Label {
        var text: String
        var range: ClosedRange<Double>
        var baseline: Double
    }

    private func labels(of chart: LineChart) throws -> [Label] {
        let pattern = try Regex(#"<text ([^>]*)>([^<]*)</text>"#)
        return try chart.markup.description.matches(of: pattern).map { match in
            let attributes = String(try #require(match.output[1].substring))
            let text = String(try #require(match.output[2].substring))
            func number(_ name: String) throws -> Double {
                let found = attributes.firstMatch(of: try Regex("\\b\(name)=\"([-0-9.]+)\""))
                let digits = try #require(found?.output[1].substring)
                return try #require(Double(digits))
            }
            // A character of the font is narrower.
            let (x, extent) = (try number("x"), Double(text.count) * 6.5)
            let start =
                attributes.contains("\"end\"") ? x - extent : attributes.contains("\"middle\"") ? x - extent / 2 : x
            return Label(text: text, range: start...(start + extent), baseline: try number("y"))
        }
    }

    @Test func `no labels overlap, and none is outside the chart`() throws {
        let labels = try labels(of: Self.crowded)
        #expect(labels.count > 40)
        for (index, label) in labels.enumerated() {
            #expect(label.range.lowerBound >= -0.5 && label.range.upperBound <= 720.5, "\(label)")
            for other in labels.dropFirst(index + 1) where abs(other.baseline - label.baseline) < 11 {
                #expect(!other.range.overlaps(label.range), "\(label.text) and \(other.text)")
            }
        }
    }

    @Test func `axes show their units, and the legend has every line and the threshold`() throws {
        let texts = try labels(of: Self.crowded).map(\.text)
        for text in ["latency, ms", "time, minutes", "enough", "40 of 40", "5"] {
            #expect(texts.contains(text), "\(text)")
        }
        let markup = Self.crowded.markup.description
        for key in ["second\"></span>old", "first\"></span>new", "threshold\"></span>enough"] {
            #expect(markup.contains(key))
        }
        #expect(markup.contains("A &lt;crowded&gt; chart"))
    }

    @Test func `a chart without values has no invalid numbers`() {
        let chart = LineChart("Nothing", [.init("a", .first, [])], unit: "u", ticks: [], seconds: 0)
        #expect(!chart.markup.description.contains("nan") && !chart.markup.description.contains("inf"))
    }
}
