#if Sandbox
import SanctuaryDomain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Instant {
    /// RFC 3339 in UTC with milliseconds; instants outside the years 1 to 9999 as milliseconds since 1970.
    var rfc3339: String {
        guard Self.showable.contains(millisecondsSince1970) else { return "\(millisecondsSince1970) ms" }
        let date = Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The same for a table: to the second, with a space.
    var short: String {
        let text = rfc3339
        guard text.hasSuffix("Z"), text.utf8.count == 24 else { return text }
        return String(text.prefix(10) + " " + text.dropFirst(11).prefix(8))
    }

    /// The years 1 to 9999.
    private static let showable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
}
#endif
