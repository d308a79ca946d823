#if Sandbox
import Foundation
import SanctuaryDomain

extension Instant {
    /// Creates an instant from a date, rounded to the nearest millisecond.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(millisecondsSince1970: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// Parses an RFC 3339 timestamp: with or without a fraction of a second, with "Z" or an offset, in either letter
    /// case, rounded to the nearest millisecond. Nil for anything else, for a day or hour that does not exist, and for
    /// a leap second.
    init?(rfc3339 text: String) {
        var reader = TimestampReader(text)
        guard let year = reader.number(of: 4), reader.skip("-"), let month = reader.number(of: 2), reader.skip("-"),
            let day = reader.number(of: 2), let days = Self.days(to: year, month, day),
            reader.skip("T") || reader.skip("t") || reader.skip(" "), let time = reader.timeOfDay(),
            reader.skip(":"), let second = reader.number(of: 2), second < 60,
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let seconds = ((days * 24 * 60 + time - offset) * 60) + second
        self.init(millisecondsSince1970: Int64(seconds * 1000 + fraction))
    }

    /// Returns the days since 1970, in the proleptic Gregorian calendar; nil if the day does not exist.
    private static func days(to year: Int, _ month: Int, _ day: Int) -> Int? {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard lengths.indices.contains(month - 1), 1...lengths[month - 1] ~= day else { return nil }
        // Years since the year 1; the year 0 is a leap year before that.
        let past = year - 1
        let leapDays = year == 0 ? -1 : past / 4 - past / 100 + past / 400
        return year * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_527
    }
}

/// Parses the parts of a timestamp from its front; each is nil if missing.
private struct TimestampReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text.utf8[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(of digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Parses hours and minutes, in minutes.
    mutating func timeOfDay() -> Int? {
        guard let hour = number(of: 2), hour < 24, skip(":"), let minute = number(of: 2), minute < 60 else {
            return nil
        }
        return hour * 60 + minute
    }

    /// Parses the fraction in milliseconds, rounded; zero if there is none.
    mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        guard let first = digit() else { return nil }
        var (milliseconds, place) = (first * 100, 10)
        while let digit = digit() {
            if place > 0 { milliseconds += digit * place } else if place == 0, digit >= 5 { milliseconds += 1 }
            place = place > 1 ? place / 10 : place - 1
        }
        return milliseconds
    }

    /// Parses the offset east of UTC, in minutes.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        if skip("+") { return timeOfDay() }
        return skip("-") ? timeOfDay().map { -$0 } : nil
    }

    private mutating func digit() -> Int? {
        guard let byte = rest.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }
}
#endif
