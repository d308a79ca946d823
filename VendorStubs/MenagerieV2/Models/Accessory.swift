#if Sandbox
public struct Accessory: Sendable, Hashable, Identifiable, Codable {
    public var id: String
    public var name: String
    public var state: AccessoryState
    /// 0 to 100.
    public var battery: Double
    /// Milliseconds since 1970.
    public var lastSeenAt: Double

    public init(id: String, name: String, state: AccessoryState, battery: Double, lastSeenAt: Double) {
        self.id = id
        self.name = name
        self.state = state
        self.battery = battery
        self.lastSeenAt = lastSeenAt
    }
}

/// The state of an accessory. The set is open.
public struct AccessoryState: RawRepresentable, Sendable, Hashable, Codable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let available = AccessoryState(rawValue: "available")
    public static let linked = AccessoryState(rawValue: "linked")
    public static let active = AccessoryState(rawValue: "active")
    public static let reconnecting = AccessoryState(rawValue: "reconnecting")
}

/// All accessories at one time.
public struct AccessoryList: Sendable, Hashable, Codable {
    public var items: [Accessory]
    /// The sequence of the last event that the list includes.
    public var sequence: Int

    public init(items: [Accessory], sequence: Int) {
        self.items = items
        self.sequence = sequence
    }
}

/// A change to an accessory.
public struct AccessoryEvent: Sendable, Hashable {
    public var sequence: Int
    public var change: Change

    public init(sequence: Int, change: Change) {
        self.sequence = sequence
        self.change = change
    }

    public enum Change: Sendable, Hashable {
        case accessory(Accessory)
        case removed(id: String)
    }
}
#endif
