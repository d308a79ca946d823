import Cofferdam

extension SplitMix64 {
    /// Above 0, at most 1, in steps of 2⁻⁵³.
    package mutating func uniform() -> Double { Double((next() >> 11) + 1) * 0x1p-53 }

    /// How many times nothing happens before something of that probability does: geometric, by inversion, so that a run
    /// costs its events and not its samples.
    mutating func trialsBeforeEvent(before probability: Double) -> Int {
        guard probability > 0 else { return Self.never }
        guard probability < 1 else { return 0 }
        let times = (ln(uniform()) / ln1p(-probability)).rounded(.down)
        return times < Double(Self.never) ? Int(times) : Self.never
    }

    /// More than any horizon.
    static var never: Int { 1 << 40 }

    /// Of the standard normal distribution: Marsaglia and Bray, "A convenient method for generating normal variables" (1964).
    mutating func normal() -> Double {
        while true {
            let (x, y) = (2 * uniform() - 1, 2 * uniform() - 1)
            let square = x * x + y * y
            if square > 0, square < 1 { return x * (-2 * ln(square) / square).squareRoot() }
        }
    }

    /// How many of `count` times something of that probability happens: exact where it is rare or nearly certain, and by the normal
    /// distribution where both outcomes are expected 30 times or more.
    mutating func binomial(_ count: Int, _ probability: Double) -> Int {
        guard count > 0, probability > 0 else { return 0 }
        guard probability < 1 else { return count }
        if probability > 0.5 { return count - binomial(count, 1 - probability) }
        let mean = Double(count) * probability
        guard mean < 30 else {
            let value = mean + (mean * (1 - probability)).squareRoot() * normal()
            return min(count, max(0, Int(value.rounded())))
        }
        var (seen, place) = (0, trialsBeforeEvent(before: probability))
        while place < count {
            seen += 1
            place += 1 + trialsBeforeEvent(before: probability)
        }
        return seen
    }
}
