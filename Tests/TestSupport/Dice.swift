package import CofferdamSupport

/// Random numbers determined by a seed.
package typealias Dice = SplitMix64

extension Dice {
    /// Returns a random number from 0 to `sides` - 1.
    package mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}
