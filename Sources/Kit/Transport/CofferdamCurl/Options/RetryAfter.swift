#if Curl
import CLibcurl
package import HTTPTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Parses `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The longest wait that is returned: a year.
    package static let longest = Duration.seconds(366 * 86400)

    /// Returns the wait from `now`, which is in seconds since 1970; zero for a time in the past, `nil` if the field is
    /// missing or malformed.
    package static func delay(from response: HTTPResponse, now: @autoclosure () -> Int = now) -> Duration? {
        guard let value = response.headerFields[.retryAfter] else { return nil }
        let text = value.utf8.drop { $0 == 0x20 }
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        if !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard !isNegative else { return .zero }
            return clamp(Int(Substring(digits)) ?? .max)
        }
        guard let date = HTTPDate.seconds(of: value) else { return nil }
        let (difference, overflows) = date.subtractingReportingOverflow(now())
        return clamp(overflows ? (date < 0 ? .min : .max) : difference)
    }

    /// The system's clock, in seconds since 1970.
    package static var now: Int { Int(time(nil)) }

    private static func clamp(_ seconds: Int) -> Duration { min(longest, .seconds(max(0, seconds))) }
}

/// The dates of HTTP.
package enum HTTPDate {
    /// Parses an HTTP-date, as seconds since 1970, in any of its three forms (RFC 9110, section 5.6.7). libcurl accepts far more, such as
    /// "20240101", so it only sees text that begins with a day's name and contains a time.
    package static func seconds(of date: String) -> Int? {
        let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        guard date.utf8.count <= 64, names.contains(date.prefix(3).lowercased()),
            date.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 2
        else { return nil }
        let seconds = Int(curl_getdate(date, nil))
        return seconds == -1 ? nil : seconds
    }
}
#endif
