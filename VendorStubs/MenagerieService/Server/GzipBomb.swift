#if Sandbox
/// Zero bytes in gzip (RFC 1952), as small as fixed codes make them: 13 bits for 258 bytes.
enum GzipBomb {
    /// One gibibyte, which compresses to about seven megabytes.
    static let largest = 1 << 30

    static func bytes(expandingTo count: Int) -> [UInt8] {
        var bits = BitWriter([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        // The last block, with fixed codes (RFC 1951, 3.2.6).
        bits.append(1, 1)
        bits.append(0b01, 2)
        var rest = count
        if rest > 0 {
            bits.appendCode(0b0011_0000, 8)
            rest -= 1
        }
        while rest >= 258 {
            // Symbol 285, 258 bytes, and distance 1.
            bits.appendCode(0b1100_0101, 8)
            bits.appendCode(0, 5)
            rest -= 258
        }
        for _ in 0..<rest { bits.appendCode(0b0011_0000, 8) }
        bits.appendCode(0, 7)
        var bytes = bits.finished
        for word in [checksum(ofZeros: count), UInt32(truncatingIfNeeded: count)] {
            withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
        }
        return bytes
    }

    /// Returns the CRC-32 of `count` zero bytes without creating them: each byte is a linear map of the register, which
    /// is raised to the power `count` by squaring.
    static func checksum(ofZeros count: Int) -> UInt32 {
        var map: [UInt32] = (0..<32).map { bit in
            (0..<8).reduce(UInt32(1) << bit) { register, _ in (register >> 1) ^ (register & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        func image(_ vector: UInt32) -> UInt32 {
            (0..<32).reduce(UInt32(0)) { vector >> $1 & 1 == 1 ? $0 ^ map[$1] : $0 }
        }
        var register: UInt32 = 0xFFFF_FFFF
        var rest = count
        while rest > 0 {
            if rest & 1 == 1 { register = image(register) }
            map = map.map(image)
            rest >>= 1
        }
        return ~register
    }

    private struct BitWriter {
        private var bytes: [UInt8]
        private var pending: UInt32 = 0
        private var pendingCount: UInt32 = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// Numbers: the lowest bit first.
        mutating func append(_ value: UInt32, _ count: UInt32) {
            pending |= value << pendingCount
            pendingCount += count
            while pendingCount >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: pending))
                pending >>= 8
                pendingCount -= 8
            }
        }

        /// Codes: the highest bit first.
        mutating func appendCode(_ code: UInt32, _ count: UInt32) {
            var reversed: UInt32 = 0
            for bit in 0..<count where code >> bit & 1 == 1 { reversed |= 1 << (count - 1 - bit) }
            append(reversed, count)
        }

        var finished: [UInt8] { pendingCount == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: pending)] }
    }
}
#endif
