/// A day of the Gregorian calendar in UTC: "2026-11-21".
public struct CalendarDay: Sendable, Hashable, CustomStringConvertible {
    /// Days since 1 January 1970.
    package let daysSince1970: Int

    package init(daysSince1970: Int) { self.daysSince1970 = daysSince1970 }

    /// Creates the day on which this many seconds have passed since 1 January 1970, 00:00 UTC.
    public init(secondsSince1970 seconds: Int) {
        self.init(daysSince1970: Int((Double(seconds) / 86_400).rounded(.down)))
    }

    /// Creates a day; nil if it does not exist.
    ///
    /// - Parameters:
    ///   - year: 1 to 9999.
    ///   - month: 1 to 12.
    ///   - day: 1 to the last of the month.
    init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.init(daysSince1970: Self.days(year, month, day))
        guard components == (year, month, day) else { return nil }
    }

    /// Reads a day like "2026-11-21"; nil for any other text.
    package init?(parsing text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    package func adding(days: Int) -> CalendarDay { CalendarDay(daysSince1970: daysSince1970 + days) }

    /// The day as ISO 8601 writes it: `2026-11-24`.
    public var description: String {
        let (year, month, day) = components
        return Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Howard Hinnant's `days_from_civil`: https://howardhinnant.github.io/date_algorithms.html
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// `civil_from_days`, from the same page.
    private var components: (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func floorDivide(_ a: Int, _ b: Int) -> Int { (a >= 0 ? a : a - b + 1) / b }
}

extension CalendarDay: ExpressibleByStringLiteral {
    /// Creates a day from a literal, which traps unless it is a valid day; use `init(parsing:)` for external text.
    public init(stringLiteral text: String) {
        guard let day = CalendarDay(parsing: text) else {
            // Not reachable by input: a literal is the programmer's own, and fails on the first run.
            preconditionFailure("'\(text)' is not a day like 2026-11-21")
        }
        self = day
    }
}

extension CalendarDay: Comparable {
    /// Whether `a` is before `b`.
    public static func < (a: CalendarDay, b: CalendarDay) -> Bool { a.daysSince1970 < b.daysSince1970 }
}

extension CalendarDay: Codable {
    /// Decodes an ISO 8601 date; throws a `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let day = CalendarDay(parsing: text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text)' is not a day like 2026-11-21"
            )
        }
        self = day
    }

    /// Encodes the day as an ISO 8601 date.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
