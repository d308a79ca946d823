/// Random numbers that a seed determines: the same on every system. By Steele, Lea and Flood, "Fast Splittable Pseudorandom
/// Number Generators" (2014).
package struct SplitMix64: RandomNumberGenerator, Sendable, Hashable {
    @usableFromInline var state: UInt64

    package init(seed: UInt64) { state = seed }

    @inlinable
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Returns a uniform number above 0 and at most 1, in steps of 2⁻⁵³.
    package mutating func uniform() -> Double { Double((next() >> 11) + 1) * 0x1p-53 }
}
