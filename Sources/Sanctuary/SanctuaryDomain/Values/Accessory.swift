/// A Bluetooth accessory near the keeper. Several may be linked; at most one is active.
public struct Accessory: Sendable, Hashable, Identifiable {
    public let id: AccessoryID
    public var name: String
    public var link: Link
    public var battery: Battery?
    public var lastSeen: Instant

    public init(id: AccessoryID, name: String, link: Link, battery: Battery?, lastSeen: Instant) {
        self.id = id
        self.name = name
        self.link = link
        self.battery = battery
        self.lastSeen = lastSeen
    }

    /// The state of the link to the accessory. `active` implies linked.
    public enum Link: String, Sendable, Hashable {
        case available, linked, active, reconnecting

        /// The longest time that a lost link is ``reconnecting``.
        public static var patience: Duration { .seconds(60) }
    }
}

/// A command for an accessory. The set is open: each accessory defines which commands it knows.
public struct AccessoryCommand: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    public var description: String { rawValue }

    /// Identifies the accessory, by light or sound.
    public static let identify = AccessoryCommand("identify")
    /// Opens the accessory's lock.
    public static let open = AccessoryCommand("open")
}

public struct AccessoryID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    public var description: String { rawValue }
}

/// A battery level in whole percent, 0 to 100.
public struct Battery: Sendable, Hashable, CustomStringConvertible {
    public let percent: Int

    /// Nil outside 0 to 100.
    public init?(percent: Int) {
        guard (0...100).contains(percent) else { return nil }
        self.percent = percent
    }

    public var description: String { "\(percent) %" }
}

/// A change to the accessories near the keeper.
public enum AccessoryEvent: Sendable, Hashable {
    /// The complete state: the first event of each stream, and again if changes were lost.
    case current([Accessory])
    /// An accessory is new or has changed.
    case changed(Accessory)
    /// An accessory is gone.
    case removed(AccessoryID)
}
