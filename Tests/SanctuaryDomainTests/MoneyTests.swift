import SanctuaryDomain
import Testing

@Suite struct MoneyTests {
    struct Amount: Sendable, CustomTestStringConvertible {
        var text: String
        var currency: Currency
        var minorUnits: Int64?
        var testDescription: String { "\(text) \(currency.code)" }

        init(_ text: String, _ currency: Currency, _ minorUnits: Int64?) {
            self.text = text
            self.currency = currency
            self.minorUnits = minorUnits
        }
    }

    @Test(arguments: [
        Amount("500", .jpy, 500), Amount("500.", .jpy, nil), Amount("500.0", .jpy, 500), Amount("500.5", .jpy, nil),
        Amount("1.234", .kwd, 1234), Amount("1.2345", .kwd, nil), Amount("1.2340", .kwd, 1234),
        Amount("0.001", .kwd, 1),
        Amount("0.01", .eur, 1), Amount("-3.50", .eur, -350), Amount("-3.5", .eur, -350), Amount("4", .eur, 400),
        Amount("4.5000000000000000000000", .eur, 450), Amount("4.5000000000000000000001", .eur, nil),
        Amount("007", .eur, 700), Amount("-0", .eur, 0), Amount("0.00", .eur, 0),
        Amount("0.1", .eur, 10), Amount("0.29", .eur, 29), Amount("1.15", .eur, 115),
        Amount("92233720368547758.07", .eur, .max), Amount("92233720368547758.08", .eur, nil),
        Amount("-92233720368547758.08", .eur, .min), Amount("-92233720368547758.09", .eur, nil),
        Amount("99999999999999999999999", .jpy, nil),
        Amount("", .eur, nil), Amount("-", .eur, nil), Amount(".", .eur, nil), Amount("1.", .eur, nil),
        Amount(".5", .eur, nil), Amount("-.5", .eur, nil), Amount("1e3", .eur, nil), Amount("+1", .eur, nil),
        Amount("--1", .eur, nil), Amount("1.2.3", .eur, nil), Amount("1,50", .eur, nil), Amount(" 1", .eur, nil),
        Amount("1 ", .eur, nil), Amount("0x10", .eur, nil), Amount("NaN", .eur, nil), Amount("١", .eur, nil),
        Amount("1.0\u{301}", .eur, nil),
    ])
    func `an amount is read exactly, or not at all (D17)`(amount: Amount) {
        #expect(Money(decimal: amount.text, currency: amount.currency)?.minorUnits == amount.minorUnits)
    }

    @Test(
        arguments: [
            (500, .jpy, "500"), (-5, .jpy, "-5"), (1234, .kwd, "1.234"), (1, .kwd, "0.001"), (-1, .kwd, "-0.001"),
            (1, .eur, "0.01"), (-350, .eur, "-3.50"), (0, .eur, "0.00"), (450, .eur, "4.50"),
            (.max, .eur, "92233720368547758.07"), (.min, .eur, "-92233720368547758.08"),
            (.min, .jpy, "-9223372036854775808"),
        ] as [(Int64, Currency, String)]
    )
    func `an amount is written with its currency's decimals, and read back (D17)`(
        minorUnits: Int64,
        currency: Currency,
        text: String
    ) {
        let money = Money(minorUnits: minorUnits, currency: currency)
        #expect(money.decimal == text)
        #expect(money.description == "\(text) \(currency.code)")
        #expect(Money(decimal: text, currency: currency) == money)
    }

    @Test(
        arguments: [
            ("EUR", "EUR", 2), ("eur", "EUR", 2), ("jpy", "JPY", 0), ("KWD", "KWD", 3), ("CLF", "CLF", 4),
            ("XAF", "XAF", 0),
            ("ABC", "ABC", 2), ("", nil, 0), ("EU", nil, 0), ("EURO", nil, 0), ("E1R", nil, 0), ("ÉUR", nil, 0),
            ("ﬁx", nil, 0), ("EU ", nil, 0),
        ] as [(String, String?, Int)]
    )
    func `a currency is three ASCII letters, with its own number of decimals`(
        text: String,
        code: String?,
        exponent: Int
    ) {
        let currency = Currency(text)
        #expect(currency?.code == code)
        #expect(currency == nil || currency?.exponent == exponent)
    }

    @Test func `totals are kept apart by currency, and are nil where they do not fit`() {
        func order(_ lines: [(Int, Int64, Currency)]) -> Order {
            Order(
                id: OrderID("1"),
                status: .pending,
                lines: lines.map {
                    OrderLine(article: "hay", quantity: $0.0, unitPrice: Money(minorUnits: $0.1, currency: $0.2))
                },
                placedAt: Instant(millisecondsSince1970: 0)
            )
        }
        #expect(order([]).totals == [])
        #expect(
            order([(2, 450, .eur), (1, 500, .jpy), (1, -100, .eur)]).totals == [
                Money(minorUnits: 800, currency: .eur), Money(minorUnits: 500, currency: .jpy),
            ]
        )
        #expect(order([(2, .max, .eur)]).totals == nil)
        #expect(order([(1, .max, .eur), (1, 1, .eur)]).totals == nil)
        #expect(order([(1, .max, .eur), (1, 1, .jpy)]).totals?.count == 2)
    }
}
