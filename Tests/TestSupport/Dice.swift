package import Cofferdam

/// Random numbers that follow from a seed.
package typealias Dice = SplitMix64

extension Dice {
    /// From 0 on.
    package mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}
