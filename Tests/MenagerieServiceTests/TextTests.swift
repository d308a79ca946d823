#if Sandbox
import Testing

@testable import MenagerieService

struct TextTests {
    @Test(
        "JSON is read and written back unchanged",
        arguments: [
            "null", "[]", "{}", "[1,-0.5,9007199254740993,9223372036854775807,-9223372036854775808]",
            #"{"a":{"b":[true,false,null]},"c":""}"#, #""\"\\\u0001é🦊/""#,
        ]
    )
    func json(text: String) throws {
        #expect(String(decoding: try JSON(reading: Array(text.utf8)).text(), as: UTF8.self) == text)
    }

    @Test(
        "A number is an integer if it is whole and fits 64 bits",
        arguments: [
            ("1", JSON.integer(1)), ("1.0", .integer(1)), ("1.5", .number(1.5)),
            ("9223372036854775808", .number(0x1p63)),
            ("true", .bool(true)), ("\"1\"", "1"),
        ]
    )
    func numbers(text: String, value: JSON) throws { #expect(try JSON(reading: Array(text.utf8)) == value) }

    @Test(
        "Invalid JSON is refused, and so is JSON that is nested too deeply",
        arguments: [
            "", " ", "{", "[1,,2]", "{\"a\"}", "01", "1.", "-", "tru", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
            "[1] 2",
            "\"\n\"", "{a:1}", "nul", "+1", String(repeating: "[", count: 10_000),
            String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
        ]
    )
    func noJSON(text: String) {
        #expect(throws: DecodingError.self) { try JSON(reading: Array(text.utf8)) }
    }

    @Test("JSON that is not UTF-8 is refused, and surrogate pairs are one character")
    func unicode() throws {
        #expect(throws: DecodingError.self) { try JSON(reading: [0x22, 0xFF, 0x22]) }
        #expect(try JSON(reading: Array(#""\ud83e\udd8a""#.utf8)) == "🦊")
    }

    @Test(
        "D17: amounts are exact both ways",
        arguments: [
            (1, .eur, "0.01"), (-1, .eur, "-0.01"), (500, .jpy, "500"), (1234, .kwd, "1.234"), (0, .kwd, "0.000"),
            (.max, .kwd, "9223372036854775.807"), (.min, .eur, "-92233720368547758.08"), (-1299, .eur, "-12.99"),
        ] as [(Int64, Currency, String)]
    )
    func amounts(minorUnits: Int64, currency: Currency, text: String) {
        #expect(Amount.text(minorUnits, currency) == text)
        #expect(Amount.minorUnits(text, currency) == minorUnits)
    }

    @Test(
        "An invalid amount is nil",
        arguments: ["", "-", ".", "1.", ".1", "1,0", "1.001", "٣", "+1", "9223372036854775808"]
    )
    func noAmounts(text: String) { #expect(Amount.minorUnits(text, .eur) == nil) }

    @Test(
        "D23: moments in RFC 3339",
        arguments: [
            (Int64(0), 0, "1970-01-01T00:00:00Z"), (1_700_000_000_500, 0, "2023-11-14T22:13:20.500Z"),
            (951_782_400_007, 0, "2000-02-29T00:00:00.007Z"), (1_700_000_000_000, 540, "2023-11-15T07:13:20+09:00"),
            (0, -210, "1969-12-31T20:30:00-03:30"), (-1, 0, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_000, 0, "9999-12-31T23:59:59Z"),
        ]
    )
    func moments(milliseconds: Int64, offset: Int, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339(offsetMinutes: offset) == text)
    }

    @Test("D23: each millisecond is exact")
    func milliseconds() {
        for milliseconds in Int64(0)..<1000 {
            let text = Timestamp(milliseconds: 1_700_000_000_000 + milliseconds * 86_400_001).rfc3339()
            let fraction = text.contains(".") ? text.dropLast().suffix(3) : "000"
            #expect(Int64(fraction) == milliseconds, "\(text)")
        }
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
#endif
