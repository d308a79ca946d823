/// Chance that a seed determines: the same on every system. SplitMix64, by Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators" (2014).
package struct SimulationRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Above 0, at most 1, in steps of 2⁻⁵³.
    package mutating func uniform() -> Double { Double((next() >> 11) + 1) * 0x1p-53 }

    /// How many times nothing happens before something of that probability does: geometric, by inversion, so that a run
    /// costs its events and not its samples.
    mutating func quietTimes(before probability: Double) -> Int {
        guard probability > 0 else { return Self.never }
        guard probability < 1 else { return 0 }
        let times = (ln(uniform()) / ln1p(-probability)).rounded(.down)
        return times < Double(Self.never) ? Int(times) : Self.never
    }

    /// More than any horizon.
    static let never = 1 << 40
}
