#if Curl
/// Compressed bodies, made by hand: stored without compression, or endless zeros.
enum DeflateSamples {
    /// RFC 1952.
    static func gzip(_ content: [UInt8]) -> [UInt8] {
        gzipHead + stored(content) + littleEndian(crc32(content)) + littleEndian(UInt32(content.count))
    }

    /// What HTTP calls "deflate": RFC 1950.
    static func zlib(_ content: [UInt8]) -> [UInt8] { [0x78, 0x01] + stored(content) + adler32(content) }

    static let gzipHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

    /// The start of a block (RFC 1951, section 3.2.7) after which each zero byte stands for 1032 zeros: length 258 is
    /// the code 0, distance 1 the code 0, the literal 0 is 10, the end of the block 11.
    static let bombHead: [UInt8] = {
        var bits = Bits()
        bits.append(1, count: 1)  // the last block
        bits.append(2, count: 2)  // with codes of its own
        bits.append(29, count: 5)  // 286 literals and lengths
        bits.append(0, count: 5)  // one distance
        bits.append(14, count: 4)  // 18 lengths of codes, in the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { bits.append(length, count: 3) }
        let two = "11"
        let one = "10"
        let repeatZero = "0"
        bits.append(code: two)  // the literal 0
        for zeros in [138, 117] {
            bits.append(code: repeatZero)
            bits.append(zeros - 11, count: 7)
        }
        bits.append(code: two)  // the end of the block
        bits.append(code: repeatZero)
        bits.append(28 - 11, count: 7)
        bits.append(code: one)  // the length 258
        bits.append(code: one)  // the distance 1
        bits.append(code: "10")  // a zero, to be repeated
        // Only zero bits follow.
        while bits.count % 8 != 0 { bits.append(0, count: 1) }
        return bits.bytes
    }()

    private static func stored(_ content: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = content[...]
        repeat {
            let part = rest.prefix(65_535)
            rest = rest.dropFirst(part.count)
            let size = UInt16(part.count)
            result.append(rest.isEmpty ? 1 : 0)
            for value in [size, ~size] { result += [UInt8(value & 0xFF), UInt8(value >> 8)] }
            result += part
        } while !rest.isEmpty
        return result
    }

    private static func crc32(_ content: [UInt8]) -> UInt32 {
        ~content.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in (sum >> 1) ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }

    private static func adler32(_ content: [UInt8]) -> [UInt8] {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in content {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return littleEndian(high << 16 | low).reversed()
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private struct Bits {
        private(set) var bytes: [UInt8] = []
        private(set) var count = 0

        /// A number, its lowest bit first.
        mutating func append(_ value: Int, count: Int) {
            for bit in 0..<count { append(value >> bit & 1 == 1) }
        }

        /// A code, its first bit first.
        mutating func append(code: String) { for bit in code { append(bit == "1") } }

        private mutating func append(_ bit: Bool) {
            if count % 8 == 0 { bytes.append(0) }
            if bit { bytes[count / 8] |= 1 << (count % 8) }
            count += 1
        }
    }
}
#endif
