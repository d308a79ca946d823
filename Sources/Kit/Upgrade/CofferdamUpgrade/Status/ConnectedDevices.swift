import CofferdamSupport

/// The devices that are connected to a server, and how many of them have the last change.
package struct ConnectedDevices: Codable, Sendable, Hashable {
    /// The devices that have the last change.
    package var have: Int
    /// All of them: those that were connected when it was made, or now if that is long ago.
    package var all: Int

    package init(have: Int, all: Int) { (self.have, self.all) = (have, all) }

    package var isComplete: Bool { have >= all }

    /// "41,200 of 41,950 connected devices have it."
    package var sentence: String {
        switch all {
        case 0: "No device is connected."
        case 1: "\(have) of 1 connected device has it."
        default: "\(have.grouped) of \(all.grouped) connected devices have it."
        }
    }
}

/// How often devices report to a server, and when they last did.
package struct DeviceNews: Codable, Sendable, Hashable {
    /// The time since the last report.
    package var secondsAgo: Int64
    /// The reports in a usual minute.
    package var perMinute: Double

    package init(secondsAgo: Int64, perMinute: Double) { (self.secondsAgo, self.perMinute) = (secondsAgo, perMinute) }

    /// Whether so many reports are missing that it is no chance: 50, in five minutes or longer.
    var isMissing: Bool { secondsAgo >= 300 && Double(secondsAgo) / 60 * perMinute >= 50 }

    /// "No news from devices for 12 min (usually 40 a minute): do not trust the numbers."
    var warning: String {
        let time = ShownTime.span(seconds: secondsAgo / 60 * 60)
        let usual =
            perMinute >= 1
            ? "\(Int(perMinute.rounded()).grouped) a minute" : "\(Int((perMinute * 60).rounded())) an hour"
        return "No news from devices for \(time) (usually \(usual)): do not trust the numbers."
    }
}
