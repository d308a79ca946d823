import Cofferdam
import CofferdamSupport
import Foundation

extension SplitMix64 {
    /// Returns the number of trials before an event of that probability happens: geometric, by inversion, so that a
    /// run's cost depends on its events and not on its samples.
    mutating func trialsBeforeEvent(probability: Double) -> Int {
        guard probability > 0 else { return Self.never }
        guard probability < 1 else { return 0 }
        let times = (log(uniform()) / log1p(-probability)).rounded(.down)
        return times < Double(Self.never) ? Int(times) : Self.never
    }

    /// More than any horizon.
    static var never: Int { 1 << 40 }

    /// Returns a sample of the standard normal distribution: Marsaglia and Bray, "A convenient method for generating
    /// normal variables" (1964).
    mutating func normal() -> Double {
        while true {
            let (x, y) = (2 * uniform() - 1, 2 * uniform() - 1)
            let square = x * x + y * y
            if square > 0, square < 1 { return x * (-2 * log(square) / square).squareRoot() }
        }
    }

    /// Returns how often an event of that probability happens in `count` trials: exact if it is rare or nearly certain,
    /// and approximated by the normal distribution if both outcomes are expected 30 times or more.
    mutating func binomial(_ count: Int, _ probability: Double) -> Int {
        guard count > 0, probability > 0 else { return 0 }
        guard probability < 1 else { return count }
        if probability > 0.5 { return count - binomial(count, 1 - probability) }
        let mean = Double(count) * probability
        guard mean < 30 else {
            let value = mean + (mean * (1 - probability)).squareRoot() * normal()
            return min(count, max(0, Int(value.rounded())))
        }
        var (seen, place) = (0, trialsBeforeEvent(probability: probability))
        while place < count {
            seen += 1
            place += 1 + trialsBeforeEvent(probability: probability)
        }
        return seen
    }
}
