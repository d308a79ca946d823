#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A moment, in whole milliseconds since 1970 (UTC): as fine as both APIs show.
struct Timestamp: Sendable, Hashable, Comparable {
    var milliseconds: Int64

    static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
    static func + (left: Self, right: Duration) -> Self { Self(milliseconds: left.milliseconds + right.milliseconds) }

    /// What the machine's clock says.
    static var machineNow: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    /// Seconds since 1970, for v1.
    var seconds: Double { Double(milliseconds) / 1000 }

    /// Seconds since 2001, for v1's accessories.
    var secondsSince2001: Double { Double(milliseconds - 978_307_200_000) / 1000 }
}

extension Timestamp {
    /// RFC 3339, as seen at an offset from UTC. The fraction is as long as it must be.
    func rfc3339(offsetMinutes: Int = 0) -> String {
        let local = milliseconds + Int64(offsetMinutes) * 60_000
        let (days, ofDay) = local.dividedDown(by: 86_400_000)
        let (year, month, day) = Self.civil(daysSince1970: days)
        let (hours, minutes, seconds) = (ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60)
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        text += "T\(padded(hours, 2)):\(padded(minutes, 2)):\(padded(seconds, 2))"
        if ofDay % 1000 != 0 {
            var fraction = padded(ofDay % 1000, 3)
            while fraction.hasSuffix("0") { fraction.removeLast() }
            text += ".\(fraction)"
        }
        if offsetMinutes == 0 { return text + "Z" }
        let distance = Int64(offsetMinutes.magnitude)
        return text + "\(offsetMinutes < 0 ? "-" : "+")\(padded(distance / 60, 2)):\(padded(distance % 60, 2))"
    }

    /// Howard Hinnant's `civil_from_days`.
    private static func civil(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, ofEra) = (daysSince1970 + 719_468).dividedDown(by: 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let dayOfYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    /// Quotient rounded down, and a remainder that is never negative.
    fileprivate func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Duration {
    /// In whole milliseconds, rounded towards zero; clamped to about ten thousand years.
    var milliseconds: Int64 {
        let limit: Int64 = 315_569_520_000
        return min(max(components.seconds, -limit), limit) * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
