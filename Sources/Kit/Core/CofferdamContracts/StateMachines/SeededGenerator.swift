import Cofferdam
import CofferdamSupport

/// A random number generator determined by its seed: the same seed gives the same programs everywhere.
///
/// SplitMix64, by Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// Returns the next number of the seed's sequence.
    public mutating func next() -> UInt64 { numbers.next() }
}
