import Cofferdam

extension SplitMix64 {
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
    static var never: Int { 1 << 40 }
}
