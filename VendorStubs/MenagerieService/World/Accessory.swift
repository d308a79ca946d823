#if Sandbox
/// The state of the platform's link to an accessory.
public enum AccessoryState: String, Sendable, Hashable, CaseIterable, Codable {
    case available, linked, active
    /// The link was lost and is being sought again. v1 shows it as not connected.
    case reconnecting
}

/// A device near an animal.
struct Accessory: Sendable, Hashable, Codable {
    let id: String
    var name: String
    /// v1 only.
    var nickname: String
    var state: AccessoryState
    /// 0 to 100.
    var battery: Int
    var lastSeen: Timestamp

    var isLinked: Bool { state == .linked || state == .active }
}

/// The accessories: at most one is active, and an active one is linked.
struct AccessoryStore: Sendable {
    enum Event: Sendable, Hashable, Codable {
        case changed(Accessory)
        case removed(id: String)
    }

    private var byID: [String: Accessory] = [:]
    var log = EventLog<Event>()
    /// The commands that each accessory received, in order.
    private(set) var commands: [String: [String]] = [:]
    /// The accessories whose link was lost while they were active.
    private var lostWhileActive: Set<String> = []

    init() {}

    /// Creates the store from stored values.
    init(stored: [Accessory], events: [(sequence: Int, event: Event)]) {
        for accessory in stored { byID[accessory.id] = accessory }
        log = EventLog(stored: events)
    }

    var accessories: [Accessory] { byID.values.sorted { $0.id < $1.id } }

    func accessory(_ id: String) -> Accessory? { byID[id] }

    /// Like ``accessory(_:)``, but throws if there is none.
    func existing(_ id: String) throws(Refusal) -> Accessory {
        guard let accessory = byID[id] else { throw Refusal(.notFound, "no accessory has that id") }
        return accessory
    }

    var active: Accessory? { byID.values.first { $0.state == .active } }

    /// Adds an accessory without an event.
    mutating func seed(_ accessory: Accessory) { byID[accessory.id] = accessory }

    /// Adds an accessory, or replaces the one with the same id, and notifies listeners.
    mutating func put(_ accessory: Accessory) {
        byID[accessory.id] = accessory
        log.append(.changed(accessory))
    }

    /// Changes an accessory and notifies listeners, even if nothing changed.
    @discardableResult
    mutating func change(_ id: String, _ change: (inout Accessory) -> Void) throws(Refusal) -> Accessory {
        var accessory = try existing(id)
        let before = accessory.state
        change(&accessory)
        byID[id] = accessory
        if accessory.state != .reconnecting {
            lostWhileActive.remove(id)
        } else if before == .active {
            lostWhileActive.insert(id)
        }
        log.append(.changed(accessory))
        return accessory
    }

    /// Links and activates an accessory; the previously active one stays linked.
    mutating func makeActive(_ id: String, at moment: Timestamp) throws(Refusal) -> Accessory {
        let accessory = try existing(id)
        guard accessory.state != .active else { return accessory }
        if let active { try change(active.id) { $0.state = .linked } }
        return try change(id) { accessory in
            accessory.state = .active
            accessory.lastSeen = moment
        }
    }

    /// Restores a lost link: the accessory returns to its previous state, whatever happened meanwhile.
    mutating func restoreLink(of id: String, at moment: Timestamp) throws(Refusal) {
        guard try existing(id).state == .reconnecting else { throw Refusal(.conflict, "the link is not lost") }
        if lostWhileActive.contains(id) {
            _ = try makeActive(id, at: moment)
        } else {
            try change(id) { $0.state = .linked }
        }
    }

    /// Ends the search for every lost link.
    mutating func abandonLostLinks() throws(Refusal) {
        for accessory in accessories where accessory.state == .reconnecting {
            try change(accessory.id) { $0.state = .available }
        }
    }

    /// Sends a command to an accessory, which must be active.
    mutating func perform(_ command: String, on id: String) throws(Refusal) -> Accessory {
        let accessory = try existing(id)
        guard accessory.state == .active else { throw Refusal(.conflict, "the accessory is not active") }
        commands[id, default: []].append(command)
        return accessory
    }

    mutating func remove(_ id: String) throws(Refusal) {
        _ = try existing(id)
        byID[id] = nil
        log.append(.removed(id: id))
    }
}
#endif
