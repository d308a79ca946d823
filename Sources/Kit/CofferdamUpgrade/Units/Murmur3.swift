/// MurmurHash3 x86 32 by Austin Appleby (public domain), fed piece by piece: it spreads well, is fast, the same on every
/// system, and keeps no secret.
struct Murmur3: Sendable, Hashable {
    private var hash: UInt32
    /// The bytes of a word that is not yet full; read as little-endian, whatever the machine.
    private var word: UInt32 = 0
    private var length: UInt32 = 0

    init(seed: UInt32) { hash = seed }

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            word |= UInt32(byte) << (8 * (length % 4))
            length &+= 1
            guard length % 4 == 0 else { continue }
            hash = Self.rotated(hash ^ Self.mixed(word), by: 13) &* 5 &+ 0xE654_6B64
            word = 0
        }
    }

    /// The hash of all that was combined; more may follow.
    var value: UInt32 {
        var hash = hash ^ Self.mixed(word) ^ length
        hash = (hash ^ (hash >> 16)) &* 0x85EB_CA6B
        hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE35
        return hash ^ (hash >> 16)
    }

    static func hash(_ bytes: some Sequence<UInt8>, seed: UInt32) -> UInt32 {
        var murmur = Murmur3(seed: seed)
        murmur.combine(bytes)
        return murmur.value
    }

    /// 0 for 0, so that an empty tail changes nothing.
    private static func mixed(_ word: UInt32) -> UInt32 { rotated(word &* 0xCC9E_2D51, by: 15) &* 0x1B87_3593 }

    private static func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}
