#if Sandbox
/// Converts money between minor units and v2's decimal text, without `Double`.
enum Amount {
    /// `-1234` in KWD: "-1.234".
    static func text(_ minorUnits: Int64, _ currency: Currency) -> String {
        let decimals = currency.decimals
        let digits = String(minorUnits.magnitude)
        let sign = minorUnits < 0 ? "-" : ""
        guard decimals > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    /// "-1.234" in KWD: `-1234`; nil if it is not a decimal number, has more decimals, or does not fit.
    static func minorUnits(_ text: String, _ currency: Currency) -> Int64? {
        let decimals = currency.decimals
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, !whole.isEmpty else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count == 1 || !fraction.isEmpty, fraction.count <= decimals else { return nil }
        let digits = whole + fraction + String(repeating: "0", count: decimals - fraction.count)
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64((isNegative ? "-" : "") + digits)
    }
}
#endif
