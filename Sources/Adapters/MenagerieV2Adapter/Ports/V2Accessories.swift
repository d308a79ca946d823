#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Accessories. Linking and activating is one step in this port, and up to three at the vendor's.
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

    /// Shares one search among all callers, which cannot cancel it: a second search would end the vendor's first, and
    /// cancelling one ends the links.
    func scan() async throws -> [SanctuaryDomain.Accessory] {
        try await connection.perform { [connection, search, links] in
            try await search.result {
                let found = try await connection.ask { client in try await client.scan() }
                let accessories = try await connection.read(found, as: .accessories, of: "accessories")
                return links.seen(accessories).sorted { $0.id.rawValue < $1.id.rawValue }
            }
        }
    }

    /// Performs the command without the vendor's queue, which does not record the command's user.
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
                // Another device may repeatedly activate another accessory meanwhile; this gives up after three
                // attempts.
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

    /// Links an accessory. The SDK remembers this device's links even after another device has released them.
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

    /// Returns false if another accessory became active meanwhile.
    private func activateOnce(_ id: AccessoryID) async throws -> Bool {
        let list = try await connection.ask { client in try await client.accessories() }
        guard let target = list.items.first(where: { $0.id == id.rawValue }) else {
            throw SanctuaryError(.notFound, "no such accessory")
        }
        if target.state == .active { return true }
        if target.state == .reconnecting {
            // The vendor no longer links the accessory, and does not activate it either: only a new link helps.
            try await connection.ask { client in _ = try await client.unlink(id.rawValue) }
        }
        if target.state != .linked { try await link(id, isAvailable: target.state == .available) }
        for other in list.items where other.id != target.id {
            var state = other.state
            if state == .active {
                state = try await connection.ask { client in try await client.deactivate(other.id).state }
            }
            // The vendor would activate it again as soon as it is found.
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
#endif
