/// An exact amount of one currency, in its minor unit (cents for EUR, whole yen for JPY, fils for KWD). May be negative.
public struct Money: Sendable, Hashable {
    public let minorUnits: Int64
    public let currency: Currency

    public init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Parses "12.34", "-0.5" or "500". Nil if the text is not a plain decimal number, has more decimals than the
    /// currency (apart from trailing zeros), or does not fit in 64 bits. It never uses binary fractions.
    public init?(decimal: String, currency: Currency) {
        let isNegative = decimal.hasPrefix("-")
        let parts = decimal.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, !whole.isEmpty else { return nil }
        var fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count == 1 || !fraction.isEmpty else { return nil }
        guard (whole + fraction).utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        while fraction.utf8.count > currency.exponent {
            guard fraction.last == "0" else { return nil }
            fraction.removeLast()
        }
        let padding = String(repeating: "0", count: currency.exponent - fraction.utf8.count)
        guard let minorUnits = Int64((isNegative ? "-" : "") + whole + fraction + padding) else { return nil }
        self.init(minorUnits: minorUnits, currency: currency)
    }

    /// The amount as decimal text, "12.34", with the currency's number of decimals.
    public var decimal: String {
        let digits = String(minorUnits.magnitude)
        let sign = minorUnits < 0 ? "-" : ""
        guard currency.exponent > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, currency.exponent + 1 - digits.utf8.count)) + digits
        return sign + padded.dropLast(currency.exponent) + "." + padded.suffix(currency.exponent)
    }
}

extension Money: CustomStringConvertible {
    public var description: String { "\(decimal) \(currency.code)" }
}

/// An ISO 4217 currency with its number of decimals.
public struct Currency: Sendable, Hashable {
    /// The code: three capital letters.
    public let code: String
    /// The number of decimals of the minor unit.
    public let exponent: Int

    /// Returns nil unless the code is three ASCII letters, which are capitalised.
    public init?(_ code: String) {
        // Checked before capitalising, which turns the ligature of "ﬁx" into two ASCII letters.
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (65...90).contains($0 & 0xDF) }) else { return nil }
        let code = code.uppercased()
        self.init(code: code, exponent: Self.exponents[code] ?? 2)
    }

    private init(code: String, exponent: Int) {
        self.code = code
        self.exponent = exponent
    }

    public static let eur = Currency(code: "EUR", exponent: 2)
    public static let jpy = Currency(code: "JPY", exponent: 0)
    public static let kwd = Currency(code: "KWD", exponent: 3)

    /// ISO 4217's list one: the active codes whose minor unit is not two decimals.
    private static let exponents: [String: Int] = [
        "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
        "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
        "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
        "CLF": 4, "UYW": 4,
    ]
}
