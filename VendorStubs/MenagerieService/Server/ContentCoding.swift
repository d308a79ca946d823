#if Sandbox
/// A content coding. The bytes are wrapped, not compressed: that is enough to require decoding.
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
    case gzip, deflate
    case brotli = "br"

    func encoded(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .gzip:
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + Self.storedBlocks(bytes) + Self.littleEndian(Self.crc32(bytes))
                + Self.littleEndian(UInt32(truncatingIfNeeded: bytes.count))
        case .deflate: [0x78, 0x01] + Self.storedBlocks(bytes) + Self.littleEndian(Self.adler32(bytes)).reversed()
        case .brotli: Self.uncompressedBlocks(bytes)
        }
    }

    /// RFC 1951, 3.2.4.
    private static func storedBlocks(_ bytes: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
            encoded += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        } while !rest.isEmpty
        return encoded
    }

    /// RFC 7932, 9.2: a window of 16 bits; meta-blocks of up to 65,536 uncompressed bytes; an empty last one.
    private static func uncompressedBlocks(_ bytes: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let block = rest.prefix(65_536)
            rest = rest.dropFirst(block.count)
            // Not the last (1 bit), four nibbles of length (2), the length less one (16), uncompressed (1).
            var header = UInt32(block.count - 1) << 3 | 1 << 19
            // The window's bit is before the first one.
            if encoded.isEmpty { header <<= 1 }
            encoded += littleEndian(header).prefix(3) + block
        }
        return encoded + [bytes.isEmpty ? 0b110 : 0b11]
    }

    private static func littleEndian(_ word: UInt32) -> [UInt8] { withUnsafeBytes(of: word.littleEndian) { Array($0) } }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF) { register, byte in
            (0..<8).reduce(register ^ UInt32(byte)) { register, _ in
                (register >> 1) ^ (register & 1 == 1 ? 0xEDB8_8320 : 0)
            }
        }
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
#endif
