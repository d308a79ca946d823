/// MurmurHash3 x86 32 by Austin Appleby (public domain), computed incrementally. It is fast, spreads well and gives
/// the same value on every system. It is not cryptographic.
package struct Murmur3: Sendable, Hashable {
    private var hash: UInt32
    /// The bytes of an incomplete word, in little-endian order on every machine.
    private var word: UInt32 = 0
    private var length: UInt32 = 0

    package init(seed: UInt32) { hash = seed }

    package mutating func combine(_ byte: UInt8) {
        word |= UInt32(byte) << (8 * (length % 4))
        length &+= 1
        guard length % 4 == 0 else { return }
        hash = Self.rotated(hash ^ Self.mixed(word), by: 13) &* 5 &+ 0xE654_6B64
        word = 0
    }

    package mutating func combine(_ bytes: some Sequence<UInt8>) { for byte in bytes { combine(byte) } }

    /// Combines the text in UTF-8. Not generic, because each unit is hashed: other modules cannot specialise the function
    /// above.
    package mutating func combine(_ text: String) { combine(text.utf8) }

    /// The hash of the bytes so far.
    package var value: UInt32 {
        var hash = hash ^ Self.mixed(word) ^ length
        hash = (hash ^ (hash >> 16)) &* 0x85EB_CA6B
        hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE35
        return hash ^ (hash >> 16)
    }

    package static func hash(_ bytes: some Sequence<UInt8>, seed: UInt32) -> UInt32 {
        var murmur = Murmur3(seed: seed)
        murmur.combine(bytes)
        return murmur.value
    }

    /// Maps 0 to 0, so that an empty tail changes nothing.
    private static func mixed(_ word: UInt32) -> UInt32 { rotated(word &* 0xCC9E_2D51, by: 15) &* 0x1B87_3593 }

    private static func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}

/// A 64-bit hash of a unit, for tables that remember many units. Among 50,000 units, the probability that two share a
/// key is below 10⁻⁹.
package enum UnitKey {
    package static func key(of unit: String) -> UInt64 {
        let (high, low) = (Murmur3.hash(unit.utf8, seed: 3), Murmur3.hash(unit.utf8, seed: 4))
        return UInt64(high) << 32 | UInt64(low)
    }
}
