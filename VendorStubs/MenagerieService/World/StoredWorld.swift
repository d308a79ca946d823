#if Sandbox
import Foundation

/// The parts of a world that outlive the service. Counters, faults and the lists' quirks do not.
struct WorldParts: OptionSet, Sendable {
    let rawValue: Int

    static let facts = Self(rawValue: 1)
    static let animals = Self(rawValue: 2)
    static let orders = Self(rawValue: 4)
    static let messages = Self(rawValue: 8)
    static let accessories = Self(rawValue: 16)
    static let sessions = Self(rawValue: 32)
    static let all: Self = [.facts, .animals, .orders, .messages, .accessories, .sessions]
}

/// What has been stored of a world.
struct StoredMarks: Sendable {
    var orders = OrderStore.Marks()
    var messageEvent = 0
    var accessoryEvent = 0
}

/// Saves a world to a storage and loads it.
struct StoredWorld: Sendable {
    let storage: any Storage

    private struct Facts: Codable {
        var version = 1
        let seed: UInt64
        let clockOffsetMilliseconds: Int64
        let devices: [String]
    }

    /// Saves what was touched since the last save; the world records a failure.
    func save(_ world: inout World) {
        guard !world.touched.isEmpty else { return }
        let touched = world.touched
        world.touched = []
        do {
            var marks = world.stored ?? StoredMarks()
            var changes: [StorageChange] = []
            if world.stored == nil {
                for part in ["order", "orderKey", "messageEvent", "accessory", "accessoryEvent"] {
                    changes.append(.clear(part: part))
                }
            }
            if touched.contains(.facts) {
                let facts = Facts(
                    seed: world.seed,
                    clockOffsetMilliseconds: world.clockOffset.milliseconds,
                    devices: world.devices.sorted()
                )
                changes.append(try put("facts", 0, facts))
            }
            if touched.contains(.animals) { changes.append(try put("animals", 0, world.animals)) }
            if touched.contains(.sessions) { changes.append(try put("sessions", 0, world.sessions)) }
            if touched.contains(.orders) {
                let (orders, keys) = world.orders.changes(since: &marks.orders)
                for (position, order) in orders { changes.append(try put("order", position, order)) }
                for (position, key) in keys { changes.append(try put("orderKey", position, key)) }
            }
            if touched.contains(.messages), world.messages.log.last > marks.messageEvent {
                for (sequence, event) in world.messages.log.events(after: marks.messageEvent) {
                    changes.append(try put("messageEvent", sequence, event))
                }
                marks.messageEvent = world.messages.log.last
            }
            if touched.contains(.accessories), world.stored == nil || world.accessories.log.last > marks.accessoryEvent
            {
                changes.append(.clear(part: "accessory"))
                for (position, accessory) in world.accessories.accessories.enumerated() {
                    changes.append(try put("accessory", position, accessory))
                }
                for (sequence, event) in world.accessories.log.events(after: marks.accessoryEvent) {
                    changes.append(try put("accessoryEvent", sequence, event))
                }
                marks.accessoryEvent = world.accessories.log.last
            }
            if !changes.isEmpty { try storage.apply(changes) }
            world.stored = marks
        } catch {
            world.storageFailure = "the state cannot be stored: \(error)"
        }
    }

    /// Replaces the world's parts with the stored ones; returns false if nothing is stored.
    ///
    /// - Throws: ``ServiceError`` if the file does not hold a world, or holds one with another seed.
    func load(into world: inout World) throws(ServiceError) -> Bool {
        do {
            guard let facts = try value("facts", Facts.self) else { return false }
            guard facts.version == 1 else {
                throw ServiceError(.badState, "the stored world has version \(facts.version), not 1")
            }
            guard facts.seed == world.seed else {
                throw ServiceError(.badState, "the stored world has the seed \(facts.seed), not \(world.seed)")
            }
            guard let animals = try value("animals", AnimalStore.self),
                let sessions = try value("sessions", SessionRegister.self)
            else { throw ServiceError(.badState, "the stored world is incomplete") }
            world.clockOffset = .milliseconds(facts.clockOffsetMilliseconds)
            world.devices = Set(facts.devices)
            world.animals = animals
            world.sessions = sessions
            world.orders = OrderStore(
                stored: try values("order", Order.self).map(\.value),
                keys: try values("orderKey", OrderStore.StoredKey.self).map(\.value)
            )
            world.messages = MessageStore(
                replaying: try values("messageEvent", MessageStore.Event.self).map { ($0.position, $0.value) }
            )
            world.accessories = AccessoryStore(
                stored: try values("accessory", Accessory.self).map(\.value),
                events: try values("accessoryEvent", AccessoryStore.Event.self).map { ($0.position, $0.value) }
            )
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(.badState, "the stored world cannot be read: \(error)")
        }
        var marks = StoredMarks(
            messageEvent: world.messages.log.last,
            accessoryEvent: world.accessories.log.last
        )
        _ = world.orders.changes(since: &marks.orders)
        world.stored = marks
        world.touched = []
        return true
    }

    private func put(_ part: String, _ position: Int, _ value: some Encodable) throws -> StorageChange {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return .put(part: part, position: position, value: Array(try encoder.encode(value)))
    }

    private func values<Value: Decodable>(
        _ part: String,
        _ type: Value.Type
    ) throws -> [(position: Int, value: Value)] {
        try storage.values(of: part).map { ($0.position, try JSONDecoder().decode(type, from: Data($0.value))) }
    }

    private func value<Value: Decodable>(_ part: String, _ type: Value.Type) throws -> Value? {
        try values(part, type).first?.value
    }
}
#endif
