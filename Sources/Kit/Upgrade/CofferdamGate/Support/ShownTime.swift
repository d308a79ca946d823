#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Formats dates and durations, for people and machines.
package enum ShownTime {
    /// Returns a date in RFC 3339, in UTC, to the second: "2026-11-22T05:38:54Z".
    package static func date(millisecondsSince1970 milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1_000)).ISO8601Format()
    }

    /// Returns the two largest parts of a duration: "3 d 4 h", "12 min 5 s", "8 s". A negative duration, which another
    /// machine's clock can cause, is "0 s".
    package static func span(seconds: Int64) -> String {
        let units: [(String, Int64)] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
        var rest = max(0, seconds)
        var parts: [String] = []
        for (name, length) in units {
            if parts.isEmpty && rest < length && name != "s" { continue }
            parts.append("\(rest / length) \(name)")
            rest %= length
            if parts.count == 2 { break }
        }
        if parts.count == 2, parts[1].hasPrefix("0 ") { parts.removeLast() }
        return parts.joined(separator: " ")
    }
}
