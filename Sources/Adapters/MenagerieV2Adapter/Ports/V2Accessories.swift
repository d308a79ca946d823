import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Accessories, whose linking and activating are one step here and up to three at the vendor's.
struct V2Accessories: Accessories {
    let connection: Connection
    private let turnstile = AsyncMutex()
    let search: SharedSearch
    private let links: LinkWatch

    init(connection: Connection) {
        self.connection = connection
        search = SharedSearch(executor: connection.configuration.executor)
        links = LinkWatch(clock: connection.configuration.clock)
    }

    func accessories() async throws -> [SanctuaryDomain.Accessory] {
        try await connection.perform { [connection, links] in
            let list = try await connection.ask { client in try await client.accessories() }
            return links.seen(try await connection.read(list.items, as: .accessories, of: "accessories"))
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
            read: { [connection] in try await connection.read($0, as: .accessories, of: "accessory events") },
            links: links
        )
        return connection.subscriptions.open(
            .services,
            dropped: connection.countDrops(of: "accessory events"),
            end: connection.endOfStream
        ) { [connection] buffer, isOpen in
            let events = try await connection.perform {
                try await connection.ask { client in try await client.accessoryEvents() }
            }
            isOpen.open()
            try await feed.run(events, into: buffer)
        }
    }

    /// One search for all who ask, which nobody cancels: the vendor's second search ends its first, and its cancelling
    /// ends the links.
    func scan() async throws -> [SanctuaryDomain.Accessory] {
        try await connection.perform { [connection, search, links] in
            try await search.result {
                let found = try await connection.ask { client in try await client.scan() }
                let accessories = try await connection.read(found, as: .accessories, of: "accessories")
                return links.seen(accessories).sorted { $0.id.rawValue < $1.id.rawValue }
            }
        }
    }

    /// Without the vendor's queue, which forgets whom a command is for.
    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await connection.performOnce(subject: id.rawValue) { [connection] mark in
            let options = CommandOptions(accessory: id.rawValue, waitsForLink: false)
            try await connection.ask { client in
                _ = try await mark.sending { try await client.send(command.rawValue, options: options) }
            }
        }
    }

    func nicknames() async throws -> [AccessoryID: String] { try await connection.perform { throw Self.hasNoNames } }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        try await connection.perform(subject: id.rawValue) { throw Self.hasNoNames }
    }

    private static var hasNoNames: SanctuaryError { SanctuaryError(.unsupported, "the vendor keeps no nicknames") }

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

    /// The SDK remembers what this device has linked, also when another one has released it since.
    private func link(_ id: AccessoryID, isAvailable: Bool) async throws {
        do {
            try await connection.ask { client in _ = try await client.link(id.rawValue) }
        } catch MenagerieError.alreadyLinked {
            guard isAvailable, await connection.client.linkedAccessories.contains(id.rawValue) else { return }
            try await connection.ask { client in _ = try await client.unlink(id.rawValue) }
            do {
                try await connection.ask { client in _ = try await client.link(id.rawValue) }
            } catch MenagerieError.alreadyLinked {}
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
        if target.state != .linked { try await link(id, isAvailable: target.state == .available) }
        for other in list.items where other.id != target.id {
            var state = other.state
            if state == .active {
                state = try await connection.ask { client in try await client.deactivate(other.id).state }
            }
            // The vendor would make it active again as soon as it is found.
            if state == .reconnecting {
                try await connection.ask { client in _ = try await client.unlink(other.id) }
            }
        }
        do {
            try await connection.ask { client in _ = try await client.activate(id.rawValue) }
            return true
        } catch MenagerieError.anotherActive {
            return false
        }
    }
}
