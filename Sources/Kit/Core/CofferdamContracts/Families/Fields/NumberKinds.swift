extension FieldKind where Value: FixedWidthInteger {
    /// A whole number of this range.
    public static func integer(_ range: ClosedRange<Value>) -> FieldKind {
        let known: [(Int64, String)] = [
            (0, "0 is taken for missing or false"), (1, "1 is taken for true"), (-1, "-1 stands for an error"),
            (29, "0.29 times 100 is 28 in binary"), (57, "0.57 times 100 is 56 in binary"),
            (127, "the largest of 8 bits with a sign"), (128, "a sign appears in 8 bits"),
            (255, "the largest of 8 bits"), (256, "8 bits overflow"),
            (1000, "a separator of thousands is written"), (10_000, "a separator of thousands is written"),
            (32_768, "16 bits overflow"), (65_536, "16 bits overflow"), (16_777_217, "a float has 24 bits"),
            (2_147_483_648, "32 bits overflow"), (-2_147_483_649, "32 bits overflow"),
            (4_294_967_296, "32 bits overflow"), (9_007_199_254_740_991, "the last whole number of a double"),
            (9_007_199_254_740_993, "a double has 53 bits"),
        ]
        var examples = known.compactMap { number, reason in Value(exactly: number).map { Example($0, reason) } }
        examples.removeAll { !range.contains($0.value) }
        for (bound, reason) in [(range.lowerBound, "the smallest"), (range.upperBound, "the largest")]
        where !examples.contains(where: { $0.value == bound }) {
            examples.append(Example(bound, "\(reason) of the range"))
        }
        return FieldKind(
            corpus: examples,
            mistakes: [
                .init("goes through 8 bits") { Value(truncatingIfNeeded: Int8(truncatingIfNeeded: $0)) },
                .init("goes through 32 bits") { Value(truncatingIfNeeded: Int32(truncatingIfNeeded: $0)) },
                .init("goes through a float") { Value(exactly: Float($0)) ?? 0 },
                .init("goes through a double") { Value(exactly: Double($0)) ?? 0 },
                .init("cuts a share of 100") {
                    Value(exactly: (Double($0) / 100 * 100).rounded(.towardZero)) ?? $0
                },
                .init("takes 0 for missing") { $0 == 0 ? 1 : $0 },
                .init("drops the sign") { Value(exactly: $0.magnitude) ?? $0 },
                .init("is one off at the end") { $0 == range.upperBound && $0 > range.lowerBound ? $0 - 1 : $0 },
            ]
        )
    }
}

extension FieldKind where Value == String {
    /// A decimal number as text, in the vendor's spelling, which may tell its precision.
    public static var decimal: FieldKind {
        FieldKind(
            corpus: [
                .init("0", "0 is taken for missing"), .init("0.1", "no binary fraction is 0.1"),
                .init("-0.1", "the sign of a small number is dropped"), .init("0.30", "zeros at the end are dropped"),
                .init("0.005", "a half is rounded to the even digit"), .init("2.675", "a half is rounded down"),
                .init("19.99", "19.99 times 100 is 1998 in binary"),
                .init("1234.5", "separators of thousands are written, or the point is a comma"),
                .init("9007199254740993", "a double has 53 bits"),
                .init("123456789012345678.91", "more digits than a double has"),
                .init("0.000001", "small numbers are written with an exponent"),
            ],
            mistakes: [
                .init("goes through a double") { text in Double(text).map { "\($0)" } ?? text },
                .init("rounds to whole numbers") { String($0.prefix { $0 != "." }) },
                .init("rounds to two places") { text in
                    guard let point = text.firstIndex(of: ".") else { return text }
                    return String(
                        text.prefix(upTo: text.index(point, offsetBy: 3, limitedBy: text.endIndex) ?? text.endIndex)
                    )
                },
                .init("drops zeros at the end") { text in
                    text.contains(".") && text.hasSuffix("0") ? String(text.dropLast()) : text
                },
                .init("takes 0 for missing") { $0 == "0" ? "1" : $0 },
                .init("drops the sign") { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 },
            ]
        )
    }
}

/// An amount in a currency's smallest unit, from which ``FieldKind/money(_:_:back:)`` makes your own type.
public struct MoneyExample: Sendable, Hashable {
    /// In the smallest unit: cents, whole yen, fils.
    public var minorUnits: Int64
    /// The code of ISO 4217.
    public var currency: String

    /// Creates an amount in a currency's smallest unit.
    public init(minorUnits: Int64, currency: String) {
        self.minorUnits = minorUnits
        self.currency = currency
    }
}

extension FieldKind {
    /// An amount of money in these currencies.
    ///
    /// - Parameters:
    ///   - currencies: each with its number of decimals (ISO 4217): `["EUR": 2, "JPY": 0, "KWD": 3]`.
    ///   - make: makes your type; nil if it cannot hold that amount.
    ///   - back: returns what your type holds.
    public static func money(
        _ currencies: KeyValuePairs<String, Int>,
        _ make: @escaping @Sendable (MoneyExample) -> Value?,
        back: @escaping @Sendable (Value) -> MoneyExample
    ) -> FieldKind {
        let amounts: [(Int64, String)] = [
            (0, "0 is taken for missing"), (1, "the smallest unit is rounded away"),
            (5, "half of a tenth is rounded"), (10, "a zero at the end is dropped"), (99, "less than one unit"),
            (100, "a whole amount loses its decimals"), (435, "4.35 times 100 is 434 in binary"),
            (1005, "a zero after the point is dropped"), (1999, "19.99 times 100 is 1998 in binary"),
            (123_456_789, "separators of thousands are written"), (-1, "the sign of less than one unit is dropped"),
            (-1999, "the sign is dropped"), (9_007_199_254_740_993, "a double has 53 bits"),
        ]
        let decimals = Dictionary(currencies.map { ($0.key, $0.value) }) { first, _ in first }
        let scale: @Sendable (String) -> Int64 = { code in
            (0..<(decimals[code] ?? 2)).reduce(1) { scale, _ in scale * 10 }
        }
        var mistakes: [FieldKind<MoneyExample>.Mistake] = [
            .init("scales by two decimals always") { money in
                var money = money
                money.minorUnits = (money.minorUnits &* 100) / scale(money.currency)
                return money
            },
            .init("takes the smallest unit for a whole one") { money in
                var money = money
                money.minorUnits = money.minorUnits &* 100
                return money
            },
            .init("rounds to whole units") { money in
                var money = money
                money.minorUnits -= money.minorUnits % max(10, scale(money.currency))
                return money
            },
            .init("cuts a double") { money in
                var money = money
                let whole = Double(money.minorUnits) / 100
                money.minorUnits = Int64(exactly: (whole * 100).rounded(.towardZero)) ?? 0
                return money
            },
            .init("drops the sign") { money in
                var money = money
                money.minorUnits = abs(money.minorUnits)
                return money
            },
        ]
        if let first = currencies.first?.key, currencies.count > 1 {
            mistakes.append(
                .init("shows one currency always") { MoneyExample(minorUnits: $0.minorUnits, currency: first) }
            )
        }
        return FieldKind<MoneyExample>(
            corpus: currencies.flatMap { code, decimals in
                amounts.map { amount, reason in
                    .init(MoneyExample(minorUnits: amount, currency: code), "\(decimals) decimals: \(reason)")
                }
            },
            mistakes: mistakes
        ).mapped(make, back: back)
    }
}
