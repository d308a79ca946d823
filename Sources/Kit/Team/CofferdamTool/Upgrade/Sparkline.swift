import CofferdamUpgrade

/// A row of numbers as a row of bars, one character each.
struct Sparkline: Sendable, Hashable {
    /// Each number as a fraction of a full bar, clamped to 0 to 1.
    var parts: [Double]

    /// - Parameter full: the number that fills a bar. If it is not positive, all bars are the lowest.
    init(_ values: [Double], full: Double) {
        parts = values.map { value in full > 0 && value.isFinite ? min(1, max(0, value / full)) : 0 }
    }

    /// Only a full number has the highest bar, so that evidence that is almost enough does not look like enough.
    func render(width: Int) -> String {
        parts.thinned(to: width).reduce(into: "") { text, part in
            let index = part >= 1 ? Self.bars.count - 1 : Int(part * Double(Self.bars.count - 1))
            text.append(Self.bars[index])
        }
    }

    private static let bars = Array("▁▂▃▄▅▆▇█")
}
