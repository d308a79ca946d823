/// A random, unique key: a version 4 UUID in lower case.
public struct UniqueKey: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    public init(using generator: inout some RandomNumberGenerator) {
        high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    public var description: String {
        let digits = Self.hex(high) + Self.hex(low)
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
