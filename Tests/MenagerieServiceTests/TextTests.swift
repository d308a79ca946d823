import Testing

@testable import MenagerieService

struct TextTests {
    @Test(
        "JSON is read and written back unchanged",
        arguments: [
            "null", "[]", "{}", "[1,-0.5,1e9,12345678901234567890]", #"{"a":{"b":[true,false,null]},"c":""}"#,
            #""\"\\\u0001é🦊""#,
        ]
    )
    func json(text: String) throws {
        #expect(String(decoding: try JSONParser.parse(Array(text.utf8)).bytes, as: UTF8.self) == text)
    }

    @Test(
        "What is no JSON is refused",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\"}", "01", "1.", "-", "tru", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
            "[1] 2",
            "\"\n\"", "{\"a\":1,}", "nul", "+1", String(repeating: "[", count: 10_000),
        ]
    )
    func noJSON(text: String) {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test("JSON that is no UTF-8 is refused, and surrogate pairs are one character")
    func unicode() throws {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
        #expect(try JSONParser.parse(Array(#""\ud83e\udd8a""#.utf8)) == "🦊")
    }

    @Test(
        "D17: amounts are exact both ways",
        arguments: [
            (Int64(1), 2, "0.01"), (-1, 2, "-0.01"), (500, 0, "500"), (1234, 3, "1.234"), (0, 3, "0.000"),
            (.max, 3, "9223372036854775.807"), (.min, 2, "-92233720368547758.08"), (-1299, 2, "-12.99"),
        ]
    )
    func amounts(minorUnits: Int64, decimals: Int, text: String) {
        #expect(Amount.text(minorUnits, decimals: decimals) == text)
        #expect(Amount.minorUnits(text, decimals: decimals) == minorUnits)
    }

    @Test(
        "What is no amount is none",
        arguments: ["", "-", ".", "1.", ".1", "1,0", "1.001", "٣", "+1", "9223372036854775808"]
    )
    func noAmounts(text: String) { #expect(Amount.minorUnits(text, decimals: 2) == nil) }

    @Test(
        "D23: moments in RFC 3339",
        arguments: [
            (Int64(0), 0, "1970-01-01T00:00:00Z"), (1_700_000_000_500, 0, "2023-11-14T22:13:20.5Z"),
            (951_782_400_007, 0, "2000-02-29T00:00:00.007Z"), (1_700_000_000_000, 540, "2023-11-15T07:13:20+09:00"),
            (0, -210, "1969-12-31T20:30:00-03:30"), (-1, 0, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_000, 0, "9999-12-31T23:59:59Z"),
        ]
    )
    func moments(milliseconds: Int64, offset: Int, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339(offsetMinutes: offset) == text)
    }

    @Test(
        "Languages by weight, English if in doubt",
        arguments: [
            (nil, Language.english), ("de", .german), ("en;q=0.3, de;q=0.8", .german), ("fr, it", .english),
            ("de;q=0", .english), ("de-AT", .german), ("EN, de", .english), (";;,q=", .english),
        ] as [(String?, Language)]
    )
    func languages(header: String?, language: Language) { #expect(Language(acceptLanguage: header) == language) }

    @Test(
        "Damaged seed data are an error that names the line",
        arguments: [
            "name\tlegs\n", "name\tlegs\ttype\nd\td\td\n\t\t\nox\tfour\tmammal\n", "name\tlegs\ttype\n-\n-\nox\t4\n",
        ]
    )
    func seedData(table: String) {
        let error = #expect(throws: ServiceError.self) { try Zoo.entries(ofTable: table) }
        #expect(error?.code == .badSeedData)
    }
}
