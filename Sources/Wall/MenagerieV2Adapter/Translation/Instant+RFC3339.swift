import Foundation
import SanctuaryDomain

extension Instant {
    /// The nearest millisecond to a date.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(millisecondsSince1970: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// Reads RFC 3339: with a fraction of a second or without, "Z" or an offset, in either letter case, rounded to the
    /// nearest millisecond. Nil for anything else; an offset is needed.
    init?(rfc3339 text: String) {
        var text = text.uppercased()
        guard let separator = text.firstIndex(of: "T") ?? text.firstIndex(of: " ") else { return nil }
        text.replaceSubrange(separator...separator, with: "T")
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        do {
            self.init(try style.parse(text))
        } catch {
            return nil
        }
    }
}
