extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number in hexadecimal, with leading zeros: "0000002a".
    package var hexadecimal: String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - text.utf8.count) + text
    }
}
