#if Server
import CofferdamUpgrade
import Foundation

/// A part of each week in which nothing is promoted: "Fri 16:00-Mon 08:00", in a time zone.
///
/// It refuses whatever can send more users to the candidate, by the gate and by people. A person may still advance or
/// override despite the gate, and every step down is allowed.
public struct FreezeWindow: Sendable, Hashable, CustomStringConvertible {
    /// Minutes since Monday, 00:00.
    private let start: Int
    private let end: Int
    private let zone: TimeZone
    /// The text, with the time zone.
    public let description: String

    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let week = 7 * 24 * 60

    /// - Parameters:
    ///   - text: "Fri 16:00-Mon 08:00".
    ///   - name: the zone: "Europe/Berlin".
    /// - Throws: ``ControlPlaneError`` with `invalidConfiguration`.
    public init(_ text: String, zone name: String) throws(ControlPlaneError) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard ends.count == 2, let start = ends[0], let end = ends[1], start != end else {
            throw ControlPlaneError(
                .invalidConfiguration,
                "\"\(text.plain(40))\" is not a freeze window such as \"Fri 16:00-Mon 08:00\""
            )
        }
        guard let zone = TimeZone(identifier: name) else {
            throw ControlPlaneError(.invalidConfiguration, "\"\(name.plain(40))\" is not a time zone")
        }
        (self.start, self.end, self.zone) = (start, end, zone)
        description = "\(text) \(name)"
    }

    /// Whether nothing is promoted at that time, in milliseconds since 1970.
    func contains(_ milliseconds: Int64) -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        let parts = calendar.dateComponents([.weekday, .hour, .minute], from: date)
        guard let weekday = parts.weekday, let hour = parts.hour, let minute = parts.minute else { return true }
        // The calendar's week begins with Sunday, as 1.
        let now = ((weekday + 5) % 7 * 24 + hour) * 60 + minute
        return (now - start + Self.week) % Self.week < (end - start + Self.week) % Self.week
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let day = days.firstIndex(of: String(parts[0])) else { return nil }
        let time = parts[1].split(separator: ":")
        guard time.count == 2, time.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }),
            let hour = Int(time[0]), let minute = Int(time[1]), hour < 24, minute < 60
        else { return nil }
        return (day * 24 + hour) * 60 + minute
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// The freeze windows of a server.
struct FreezeCalendar: Sendable {
    var windows: [FreezeWindow] = []
    let now: @Sendable () -> Int64

    /// The current window; nil if there is none.
    var current: FreezeWindow? {
        let now = now()
        return windows.first { $0.contains(now) }
    }

    /// - Throws: `UpgradeRefusal` for a step up in a window.
    func check(_ change: UpgradeChange) throws(UpgradeRefusal) {
        guard change.isStepUp else { return }
        switch change.entry.request.action {
        case .advance(despiteGate: true), .override(_, _, despiteGate: true): return
        default:
            guard let window = current else { return }
            throw UpgradeRefusal(.freezeWindow, "nothing is promoted during the freeze window \(window)")
        }
    }
}

extension UpgradeRefusal.Code {
    /// The current time is in a window in which nothing is promoted.
    static let freezeWindow = UpgradeRefusal.Code(rawValue: "freezeWindow")
}
#endif
