#if Sandbox
import Foundation

/// The digest of RFC 1321, used to name files. It is not secure.
enum MD5 {
    /// 32 hexadecimal digits.
    static func digits(of text: String) -> String {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        let message = padded(Array(text.utf8))
        for start in stride(from: 0, to: message.count, by: 64) { add(message[start..<start + 64], to: &state) }
        let bytes: [UInt8] = state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        return bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    /// A one, zeros, and the length in bits: whole blocks of 64 bytes.
    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let zeros = (119 - bytes.count % 64) % 64
        let length = (0..<8).map { UInt8(truncatingIfNeeded: (UInt64(bytes.count) * 8) >> (8 * UInt64($0))) }
        return bytes + [0x80] + Array(repeating: 0, count: zeros) + length
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        let bytes = Array(block)
        let words: [UInt32] = (0..<16).map { index in
            let word = bytes[4 * index..<4 * index + 4]
            return word.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let (mixed, word): (UInt32, Int) =
                switch step / 16 {
                case 0: ((b & c) | (~b & d), step)
                case 1: ((d & b) | (~d & c), (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), (7 * step) % 16)
                }
            let sum = a &+ mixed &+ sines[step] &+ words[word]
            let shift = shifts[step / 16][step % 4]
            (a, b, c, d) = (d, b &+ (sum << shift | sum >> (32 - shift)), b, c)
        }
        for (index, word) in [a, b, c, d].enumerated() { state[index] &+= word }
    }

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
#endif
