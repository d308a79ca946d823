/// An instant, in whole milliseconds since 1970-01-01T00:00:00Z.
public struct Instant: Sendable, Hashable, Comparable {
    public let millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    public static func < (a: Instant, b: Instant) -> Bool { a.millisecondsSince1970 < b.millisecondsSince1970 }

    /// 2001-01-01T00:00:00Z, the epoch of some vendors.
    public static let referenceDate2001 = Instant(millisecondsSince1970: 978_307_200_000)

    /// Creates an instant a number of seconds after `origin`, rounded to the nearest millisecond; nil if it is not
    /// finite or out of range.
    public init?(seconds: Double, after origin: Instant = Instant(millisecondsSince1970: 0)) {
        guard let offset = Int64(exactly: (seconds * 1000).rounded()) else { return nil }
        let (sum, overflow) = origin.millisecondsSince1970.addingReportingOverflow(offset)
        guard !overflow else { return nil }
        self.init(millisecondsSince1970: sum)
    }
}
