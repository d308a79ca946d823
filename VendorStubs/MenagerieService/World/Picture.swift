#if Sandbox
/// A picture's bytes.
struct Picture: Sendable, Hashable, Codable {
    var bytes: [UInt8]
    var contentType: String

    /// The entity tag: FNV-1a of the bytes, which is not cryptographically secure.
    var tag: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return "\"\(String(hash, radix: 16))-\(bytes.count)\""
    }
}

extension Picture {
    /// Creates a small bitmap from the animal's number: symmetric on both axes, in two colours.
    init(drawnFrom number: Int) {
        let side = 32
        var generator = SeededGenerator(seed: UInt64(bitPattern: Int64(number)), stream: 7)
        let ink = (0..<3).map { _ in UInt8.random(in: 0...150, using: &generator) }
        let paper = (0..<3).map { _ in UInt8.random(in: 180...255, using: &generator) }
        let cells = (0..<8).map { _ in (0..<8).map { _ in Bool.random(using: &generator) } }
        var pixels: [UInt8] = []
        for row in 0..<side {
            for column in 0..<side {
                let (y, x) = (min(row, side - 1 - row) / 2, min(column, side - 1 - column) / 2)
                pixels += cells[y][x] ? ink : paper
            }
        }
        self.init(bytes: Self.bitmap(pixels, side: UInt32(side)), contentType: "image/bmp")
    }

    /// Returns an uncompressed bitmap with 24 bits per pixel; rows need no padding if 4 divides the side.
    private static func bitmap(_ pixels: [UInt8], side: UInt32) -> [UInt8] {
        let header: UInt32 = 54
        var bytes = Array("BM".utf8)
        func append(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
        append(header + UInt32(pixels.count))
        append(UInt32(0))
        append(header)
        append(UInt32(40))
        append(side)
        append(side)
        append(UInt16(1))
        append(UInt16(24))
        append(UInt32(0))
        append(UInt32(pixels.count))
        append(UInt32(2835))
        append(UInt32(2835))
        append(UInt32(0))
        append(UInt32(0))
        return bytes + pixels
    }
}
#endif
