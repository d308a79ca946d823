/// A unit in 64 bits, wherever many are remembered: two of 50,000 have the same in less than one of a thousand million cases.
enum UnitKey {
    static func key(of unit: String) -> UInt64 {
        let (high, low) = (Murmur3.hash(unit.utf8, seed: 3), Murmur3.hash(unit.utf8, seed: 4))
        return UInt64(high) << 32 | UInt64(low)
    }
}
