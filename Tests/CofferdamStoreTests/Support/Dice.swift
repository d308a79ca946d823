import Cofferdam

/// Random numbers that follow from a seed.
typealias Dice = SplitMix64

extension Dice {
    /// From 0 on.
    mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}
