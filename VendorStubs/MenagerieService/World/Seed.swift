#if Sandbox
/// A generator whose numbers depend only on the seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator, Sendable, Codable {
    private var state: UInt64

    init(seed: UInt64, stream: UInt64 = 0) { state = Self.mixed(seed) ^ Self.mixed(stream &+ 0x5851_F42D_4C95_7F2D) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A keyed checksum of texts that the service issues and expects back unchanged: tokens, cursors, signed URLs.
///
/// This is a simulation, not a message authentication code: anyone who knows the seed can forge them. It depends only
/// on the seed, so that a new sandbox with the same seed accepts the old one's tokens.
struct Checksum: Sendable, Codable {
    let key: UInt64

    init(seed: UInt64) { key = SeededGenerator.mixed(seed ^ 0xA076_1D64_78BD_642F) }

    func callAsFunction(_ text: String) -> String {
        var hash = key ^ 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let digits = String(SeededGenerator.mixed(hash), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the fields with their checksum, separated by dots. No field may contain a dot.
    func sealed(_ fields: [String]) -> String {
        let text = fields.joined(separator: ".")
        return "\(text).\(self(text))"
    }

    /// Returns the fields of a sealed text; nil if the checksum does not match.
    func opened(_ text: String) -> [String]? {
        guard let dot = text.lastIndex(of: "."), self(String(text[..<dot])) == text[text.index(after: dot)...] else {
            return nil
        }
        return text[..<dot].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}

extension SeededGenerator {
    /// Returns a version 4 identifier in lower case.
    mutating func identifier() -> String {
        let high = next()
        return Self.identifier(high, next())
    }

    /// Returns a version 4 identifier of these bits, except for six of them.
    static func identifier(_ high: UInt64, _ low: UInt64) -> String {
        let high = high & ~0xF000 | 0x4000
        let low = low & ~(0b11 << 62) | (0b10 << 62)
        func hex(_ value: UInt64, _ count: Int) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        return [
            hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
            hex(low & 0xFFFF_FFFF_FFFF, 12),
        ].joined(separator: "-")
    }
}
#endif
