#if Sandbox
import Foundation

/// An instant, in whole milliseconds since 1970 (UTC), the resolution of both APIs.
struct Timestamp: Sendable, Hashable, Comparable, Codable {
    var milliseconds: Int64

    static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
    static func + (left: Self, right: Duration) -> Self { Self(milliseconds: left.milliseconds + right.milliseconds) }

    /// The machine's clock.
    static var machineNow: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    /// Seconds since 1970, for v1.
    var seconds: Double { Double(milliseconds) / 1000 }

    /// Seconds since 2001, for v1's accessories.
    var secondsSince2001: Double { Double(milliseconds - 978_307_200_000) / 1000 }
}

extension Timestamp {
    /// Returns RFC 3339 text at an offset from UTC, with milliseconds unless they are zero.
    ///
    /// A time after the year 9999 has none; its text is not RFC 3339's.
    func rfc3339(offsetMinutes: Int = 0) -> String {
        guard milliseconds < 253_402_300_800_000 else { return "after 9999" }
        let style = Date.ISO8601FormatStyle(
            timeZoneSeparator: .colon,
            includingFractionalSeconds: !milliseconds.isMultiple(of: 1000),
            timeZone: TimeZone(secondsFromGMT: offsetMinutes * 60) ?? .gmt
        )
        // The style truncates to milliseconds, and a Double may be slightly less than the intended number.
        return Date(timeIntervalSince1970: seconds + 0.0005).formatted(style)
    }
}

extension Timestamp {
    /// The format of HTTP headers: `Tue, 14 Nov 2023 22:13:20 GMT`.
    var httpDate: String {
        let style = Date.VerbatimFormatStyle(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """,
            locale: Locale(identifier: "en_US_POSIX"),
            timeZone: .gmt,
            calendar: Calendar(identifier: .gregorian)
        )
        return Date(timeIntervalSince1970: seconds).formatted(style)
    }
}

extension Duration {
    /// In whole milliseconds, rounded towards zero; clamped to about ten thousand years.
    var milliseconds: Int64 {
        let limit: Int64 = 315_569_520_000
        return min(max(components.seconds, -limit), limit) * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
#endif
