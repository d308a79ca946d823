import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Accessories, whose linking and activating are one step here and up to three at the vendor's.
struct V2Accessories: Accessories {
    let connection: Connection
    private let turnstile = Turnstile()

    init(connection: Connection) { self.connection = connection }

    func accessories() async throws -> [SanctuaryDomain.Accessory] {
        try await connection.perform { [connection] in
            let list = try await connection.ask { client in try await client.accessories() }
            return try await connection.read(list.items, as: .accessories, of: "accessories")
        }
    }

    func events() -> any AsyncSequence<SanctuaryDomain.AccessoryEvent, any Error> & Sendable {
        let feed = AccessoryFeed(
            list: { [connection] in
                try await connection.perform {
                    let list = try await connection.ask { client in try await client.accessories() }
                    let accessories = try await connection.read(list.items, as: .accessories, of: "accessories")
                    return AccessoryFeed.Snapshot(sequence: list.sequence, accessories)
                }
            },
            read: { [connection] in try await connection.read($0, as: .accessories, of: "accessory events") }
        )
        return connection.subscriptions.open(end: connection.endOfStream) { [connection] buffer, isOpen in
            let events = try await connection.perform {
                try await connection.ask { client in try await client.accessoryEvents() }
            }
            isOpen.open()
            try await feed.run(events, into: buffer)
        }
    }

    func activate(_ id: AccessoryID) async throws {
        try await connection.perform(subject: id.rawValue) { [turnstile] in
            try await turnstile.run {
                // Another device may activate one of its own in between, as often as it likes; here three times.
                for _ in 1...3 where try await activateOnce(id) { return }
                throw SanctuaryError(.conflict, "another device keeps activating another accessory")
            }
        }
    }

    func release(_ id: AccessoryID) async throws {
        try await connection.perform(subject: id.rawValue) { [connection, turnstile] in
            try await turnstile.run {
                try await connection.ask { client in _ = try await client.unlink(id.rawValue) }
            }
        }
    }

    /// Returns false if another one became active in the meantime.
    private func activateOnce(_ id: AccessoryID) async throws -> Bool {
        let list = try await connection.ask { client in try await client.accessories() }
        guard let target = list.items.first(where: { $0.id == id.rawValue }) else {
            throw SanctuaryError(.notFound, "no such accessory")
        }
        if target.state == .active { return true }
        if target.state == .reconnecting {
            // The vendor links it no more, and does not activate it either: only a new link helps.
            try await connection.ask { client in _ = try await client.unlink(id.rawValue) }
        }
        if target.state != .linked {
            do {
                try await connection.ask { client in _ = try await client.link(id.rawValue) }
            } catch MenagerieError.alreadyLinked {}
        }
        for other in list.items where other.state == .active {
            try await connection.ask { client in _ = try await client.deactivate(other.id) }
        }
        do {
            try await connection.ask { client in _ = try await client.activate(id.rawValue) }
            return true
        } catch MenagerieError.anotherActive {
            return false
        }
    }
}
