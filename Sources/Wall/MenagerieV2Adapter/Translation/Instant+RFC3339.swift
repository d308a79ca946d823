import Foundation
import SanctuaryDomain

extension Instant {
    /// The nearest millisecond to a date.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(millisecondsSince1970: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// Reads RFC 3339: with a fraction of a second or without, "Z" or an offset, in either letter case, rounded to the
    /// nearest millisecond. Nil for anything else, for a day or an hour that there is not, and for a leap second.
    init?(rfc3339 text: String) {
        let form = /([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9:]{8})(\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))/
        guard let (_, day, time, fraction, sign, hours, minutes) = text.wholeMatch(of: form)?.output else { return nil }
        // Foundation's parser takes 25 o'clock for 1 o'clock; what it writes tells.
        let local = "\(day)T\(time)Z"
        let style = Date.ISO8601FormatStyle()
        guard let date = try? style.parse(local), style.format(date) == local else { return nil }
        var seconds = date.timeIntervalSince1970
        if let sign, let hours = hours.flatMap({ Int($0) }), let minutes = minutes.flatMap({ Int($0) }) {
            guard hours < 24, minutes < 60 else { return nil }
            seconds -= Double((hours * 60 + minutes) * (sign == "-" ? -60 : 60))
        }
        self.init(seconds: seconds + (fraction.flatMap { Double("0\($0)") } ?? 0))
    }
}
