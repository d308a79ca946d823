import CofferdamContracts
import Foundation
import Testing

@Suite struct CalendarDayTests {
    @Test(arguments: [
        ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2026-11-21", 20_778), ("0001-01-01", -719_162),
        ("9999-12-31", 2_932_896),
    ])
    func `a day is read and written`(_ text: String, _ days: Int) {
        #expect(CalendarDay(parsing: text)?.daysSince1970 == days)
        #expect(CalendarDay(daysSince1970: days).description == text)
    }

    @Test(arguments: [
        "", "2026-2-1", "2026-02-30", "2025-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "+026-01-01",
        "2026-11-21T00",
    ])
    func `a text that is not a day is refused`(_ text: String) {
        #expect(CalendarDay(parsing: text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([CalendarDay].self, from: Data("[\"\(text)\"]".utf8))
        }
    }

    @Test func `a moment belongs to its UTC day, also before 1970`() {
        #expect(CalendarDay(secondsSince1970: 86_399).daysSince1970 == 0)
        #expect(CalendarDay(secondsSince1970: 86_400).daysSince1970 == 1)
        #expect(CalendarDay(secondsSince1970: -1).daysSince1970 == -1)
    }

    @Test func `days are added across months and leap years`() {
        #expect(("2024-02-28" as CalendarDay).adding(days: 2).description == "2024-03-01")
        #expect(("2026-12-31" as CalendarDay).adding(days: 1).description == "2027-01-01")
    }
}
