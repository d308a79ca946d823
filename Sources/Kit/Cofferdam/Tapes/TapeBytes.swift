/// Bytes, on a tape as base64 (RFC 4648, section 4).
public struct TapeBytes: Sendable, Hashable, Codable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Self.decoded(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no base64")
        }
        self.bytes = bytes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.encoded(bytes))
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    private static let values = Dictionary(uniqueKeysWithValues: digits.enumerated().map { ($1, UInt32($0)) })

    private static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place > group.count ? padding : digits[Int(bits >> UInt32(18 - 6 * place) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for what is no base64 with its padding.
    private static func decoded(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            let isLast = start + 4 == text.count
            let used = isLast ? 4 - text[start...].reversed().prefix { $0 == padding }.count : 4
            guard used >= 2 else { return nil }
            var bits: UInt32 = 0
            for place in 0..<4 {
                guard place < used else {
                    bits <<= 6
                    continue
                }
                guard let value = values[text[start + place]] else { return nil }
                bits = bits << 6 | value
            }
            for place in 0..<(used - 1) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * place))) }
        }
        return bytes
    }
}
