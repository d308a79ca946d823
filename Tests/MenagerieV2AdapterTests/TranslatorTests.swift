#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite struct TranslatorTests {
    // MARK: Animals

    @Test(
        "D2: absent is unknown, 0 is none, a negative count is unknown and reported",
        arguments: [
            (nil, Count.unknown, 0), (0, .known(0), 0), (4, .known(4), 0), (750, .known(750), 0), (-1, .unknown, 1),
        ] as [(Int?, Count, Int)]
    )
    func counts(raw: Int?, count: Count, issues: Int) throws {
        var report = TranslationReport()
        let animal = try Translator.animals(ids()).translate(animal(legs: raw, heads: 1), into: &report)
        #expect(animal.legs == count)
        #expect(animal.heads == .known(1))
        #expect(report.issues.map(\.path) == Array(repeating: "legs", count: issues))
    }

    @Test("D3: the name is the canonical one, the display name the localized one")
    func names() throws {
        var report = TranslationReport()
        let animal = try Translator.animals(ids()).translate(animal(), into: &report)
        #expect(animal.name == "kerberos")
        #expect(animal.displayName == "Zerberus")
        #expect(animal.id == AnimalID("7"))
        #expect(report.issues.isEmpty)
    }

    @Test("D4, GET-07: an unknown kind in a page of 20 is one unknown group and one warning")
    func unknownKind() throws {
        var report = TranslationReport()
        var animals = Array(repeating: animal(), count: 20)
        animals[3].kind = AnimalKind(rawValue: "amphibian")
        let translated = try Translator.animals(ids())
            .translate(animals, at: "items", into: &report, policy: .failOnFirst)
        #expect(translated.count == 20)
        #expect(translated[3].group == .unknown("amphibian"))
        #expect(translated.filter(\.group.isUnknown).count == 1)
        #expect(
            report.issues == [
                TranslationIssue("unknown group", at: "items[3].kind", raw: "amphibian", severity: .warning)
            ]
        )
    }

    @Test("GET-04: an animal without an id fails the page at its path")
    func unreadableAnimal() {
        var report = TranslationReport()
        var animals = Array(repeating: animal(), count: 3)
        animals[2].id = "no id"
        #expect(throws: TranslationIssue("not an id", at: "items[2].id", raw: "no id")) {
            try Translator.animals(ids()).translate(animals, at: "items", into: &report, policy: .failOnFirst)
        }
    }

    // MARK: Accessories

    @Test(
        "D14: a percentage stays one, and an invalid one is nil and reported",
        arguments: [
            (0, 0), (1, 1), (0.4, 0), (57, 57), (99.5, 100), (100, 100),
            (100.1, nil), (-1, nil), (.nan, nil), (.infinity, nil),
        ] as [(Double, Int?)]
    )
    func batteries(raw: Double, percent: Int?) throws {
        var report = TranslationReport()
        let accessory = try Translator.accessories.translate(accessory(battery: raw), into: &report)
        #expect(accessory.battery?.percent == percent)
        #expect(report.issues.map(\.path) == (percent == nil ? ["battery"] : []))
    }

    @Test(
        "D14: milliseconds since 1970, implausible ones reported",
        arguments: [
            (1_700_000_000_000, 1_700_000_000_000, true), (1_700_000_000_000.4, 1_700_000_000_000, true),
            (978_307_200_000, 978_307_200_000, true), (721_692_800, 721_692_800, false), (0, 0, false),
            (1_700_000_000_000_000, 1_700_000_000_000_000, false),
        ] as [(Double, Int64, Bool)]
    )
    func moments(raw: Double, milliseconds: Int64, isPlausible: Bool) throws {
        var report = TranslationReport()
        let accessory = try Translator.accessories.translate(accessory(lastSeenAt: raw), into: &report)
        #expect(accessory.lastSeen == Instant(millisecondsSince1970: milliseconds))
        #expect(report.issues.map(\.path) == (isPlausible ? [] : ["lastSeenAt"]))
    }

    @Test("A time that is not a number, and an unknown state, are errors", arguments: [Double.nan, .infinity])
    func impossibleAccessories(raw: Double) {
        var report = TranslationReport()
        #expect(throws: TranslationIssue.self) {
            try Translator.accessories.translate(accessory(lastSeenAt: raw), into: &report)
        }
        #expect(throws: TranslationIssue("unknown state", at: "state", raw: "updating")) {
            try Translator.accessories.translate(accessory(state: "updating"), into: &report)
        }
    }

    @Test("Every state of an accessory", arguments: ["available", "linked", "active", "reconnecting"])
    func states(raw: String) throws {
        var report = TranslationReport()
        #expect(
            try Translator.accessories.translate(accessory(state: raw), into: &report).link.rawValue == raw
        )
    }

    // MARK: Orders

    private static let amountsTable: [(String, String, Int64)] = [
        ("500", "JPY", 500), ("1.234", "KWD", 1234), ("0.01", "EUR", 1), ("0.29", "EUR", 29), ("-4.50", "EUR", -450),
        ("0.00", "EUR", 0), ("92233720368547758.07", "EUR", .max),
    ]

    @Test("D17: amounts are exact both ways", arguments: amountsTable)
    func amounts(decimal: String, currency: String, minorUnits: Int64) throws {
        #expect(try Self.isExact(decimal, currency, minorUnits, by: .adapter))
    }

    @Test func `D17: a hundred to one is wrong for yen and fils, a Double for what it cannot hold`() throws {
        let wrong = try Self.amountsTable.filter { try !Self.isExact($0, $1, $2, by: .naive) }.map { "\($0.0) \($0.1)" }
        #expect(wrong == ["500 JPY", "1.234 KWD", "0.29 EUR", "92233720368547758.07 EUR"])
    }

    private static func isExact(
        _ decimal: String,
        _ currency: String,
        _ minorUnits: Int64,
        by handling: Handling
    ) throws -> Bool {
        let source = MenagerieV2.Money(amount: decimal, currency: currency)
        let expected = Currency(currency).map { SanctuaryDomain.Money(minorUnits: minorUnits, currency: $0) }
        if handling == .naive { return NaiveMoney.read(source) == expected && expected.map(NaiveMoney.write) == source }
        var report = TranslationReport()
        let line = try Translator.orders.translate(order(amounts: [(decimal, currency)]), into: &report).lines.first
        return line?.unitPrice == expected && line.map { MenagerieV2.OrderLine($0).unitPrice } == source
    }

    @Test("D17: one order may mix currencies")
    func mixedCurrencies() throws {
        var report = TranslationReport()
        let order = try Translator.orders
            .translate(order(amounts: [("1.00", "EUR"), ("5", "JPY"), ("2.50", "EUR")]), into: &report)
        #expect(order.totals?.map(\.description) == ["3.50 EUR", "5 JPY"])
    }

    @Test(
        "D17: an amount that is invalid in its currency is an error at its path",
        arguments: [
            ("1.5", "JPY", "lines[1].unitPrice.amount"), ("0.001", "EUR", "lines[1].unitPrice.amount"),
            ("4,50", "EUR", "lines[1].unitPrice.amount"), ("1e3", "EUR", "lines[1].unitPrice.amount"),
            ("", "EUR", "lines[1].unitPrice.amount"), ("1", "€", "lines[1].unitPrice.currency"),
            ("92233720368547758.08", "EUR", "lines[1].unitPrice.amount"),
        ]
    )
    func impossibleAmounts(decimal: String, currency: String, path: String) {
        var report = TranslationReport()
        let error = #expect(throws: TranslationIssue.self) {
            try Translator.orders.translate(order(amounts: [("1", "EUR"), (decimal, currency)]), into: &report)
        }
        #expect(error?.path == path)
        #expect(report.issues.map(\.path) == [path])
    }

    private static let statusesTable: [(String, SanctuaryDomain.OrderStatus)] = [
        ("pending", .pending), ("authorized", .authorized), ("paid", .captured), ("shipped", .shipped),
        ("cancelled", .cancelled), ("partiallyRefunded", .partiallyRefunded), ("escrow", .unknown("escrow")),
    ]

    @Test func `D19: V1's table is wrong for captured money, and for statuses that it does not know`() {
        let wrong = Self.statusesTable.filter { NaiveOrderStatus.read(.init(rawValue: $0)) != $1 }.map(\.0)
        #expect(wrong == ["authorized", "paid", "partiallyRefunded", "escrow"])
    }

    @Test("D19: what a status says about the money", arguments: statusesTable)
    func statuses(raw: String, status: SanctuaryDomain.OrderStatus) throws {
        var report = TranslationReport()
        let order = try Translator.orders.translate(order(status: raw), into: &report)
        #expect(order.status == status)
        #expect(report.issues.map(\.path) == (raw == "escrow" ? ["status"] : []))
    }

    // MARK: Dates

    private static let datesTable: [(String, Int64)] = [
        ("1970-01-01T00:00:00Z", 0), ("2023-11-14T22:13:20Z", 1_700_000_000_000),
        ("2023-11-14T22:13:20.5Z", 1_700_000_000_500), ("2023-11-14T22:13:20.000Z", 1_700_000_000_000),
        ("2023-11-14T22:13:20.123456789Z", 1_700_000_000_123), ("2023-11-14T22:13:20.9996Z", 1_700_000_001_000),
        ("2023-11-14T23:13:20+01:00", 1_700_000_000_000), ("2023-11-14T14:43:20.25-07:30", 1_700_000_000_250),
        ("2023-11-15T00:13:20.125+02:00", 1_700_000_000_125), ("2023-11-14T22:13:20-00:00", 1_700_000_000_000),
        ("2023-11-14t22:13:20z", 1_700_000_000_000), ("2023-11-14 22:13:20Z", 1_700_000_000_000),
        ("2024-02-29T12:00:00Z", 1_709_208_000_000), ("1969-12-31T23:59:59.750Z", -250),
    ]

    @Test("D23: RFC 3339 in all its forms", arguments: datesTable)
    func dates(text: String, milliseconds: Int64) {
        #expect(Self.isRight(text, milliseconds) { Instant(rfc3339: $0) })
    }

    @Test(arguments: [true, false])
    func `D23: a parser of one form is wrong for the other`(takesFractions: Bool) {
        let naive = NaiveDates(takesFractions: takesFractions)
        let wrong = Self.datesTable.filter { !Self.isRight($0, $1, by: naive.read) }.map(\.0)
        #expect(wrong.contains("2023-11-14T22:13:20.5Z") == !takesFractions)
        #expect(wrong.contains("2023-11-14T22:13:20Z") == takesFractions)
    }

    private static func isRight(_ text: String, _ milliseconds: Int64, by read: (String) -> Instant?) -> Bool {
        read(text)?.millisecondsSince1970 == milliseconds
    }

    @Test(
        "D23: anything else is not an RFC 3339 date",
        arguments: [
            "", "yesterday", "1700000000", "2023-11-14", "2023-11-14T22:13:20", "2023-13-14T22:13:20Z",
            "2023-11-14T25:13:20Z", "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20Zulu", "2023-11-14T22:13:20+1",
            "2023-02-30T22:13:20Z", "23-11-14T22:13:20Z",
            "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:60Z", "2023-11-14T22-13-20Z", "٢٠٢٣-11-14T22:13:20Z",
        ]
    )
    func noDates(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test("D23: a message with a date in each form, and one without")
    func messages() throws {
        var report = TranslationReport()
        var source = MenagerieV2.Message(
            id: "m-1",
            sequence: 1,
            author: "amara",
            text: "fed",
            sentAt: "2023-11-14T23:13:20.5+01:00"
        )
        let message = try Translator.messages.translate(source, into: &report)
        #expect(
            message
                == SanctuaryDomain.Message(
                    id: MessageID("m-1"),
                    author: "amara",
                    text: "fed",
                    sentAt: Instant(millisecondsSince1970: 1_700_000_000_500)
                )
        )
        source.sentAt = "noon"
        #expect(throws: TranslationIssue("not an RFC 3339 date", at: "sentAt", raw: "noon")) {
            try Translator.messages.translate(source, into: &report)
        }
    }
}

private let uuid = "0e0b8a70-0000-4000-8000-000000000007"

private func ids() throws(SanctuaryError) -> AnimalIDMap {
    let ids = AnimalIDMap()
    try ids.record([(7, uuid)])
    return ids
}

private func animal(legs: Int? = 4, heads: Int? = 1) -> MenagerieV2.Animal {
    .init(id: uuid.uppercased(), name: "kerberos", localizedName: "Zerberus", kind: .other, legs: legs, heads: heads)
}

private func accessory(
    state: String = "linked",
    battery: Double = 57,
    lastSeenAt: Double = 1_700_000_000_000
) -> MenagerieV2.Accessory {
    .init(
        id: "collar-1",
        name: "Collar",
        state: AccessoryState(rawValue: state),
        battery: battery,
        lastSeenAt: lastSeenAt
    )
}

private func order(
    status: String = "pending",
    amounts: [(String, String)] = [("4.50", "EUR")]
) -> MenagerieV2.Order {
    .init(
        id: "o-1",
        status: MenagerieV2.OrderStatus(rawValue: status),
        lines: amounts.map { .init(article: "hay", quantity: 1, unitPrice: .init(amount: $0.0, currency: $0.1)) },
        placedAt: "2023-11-14T22:13:20Z"
    )
}
#endif
