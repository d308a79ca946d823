/// The world and how it is run: what both APIs and the control interface share.
final class Sandbox: Sendable {
    let world: Monitor<World>
    let accessTokenLifetime: Duration
    let checksum: Checksum
    private let origin: World.Origin
    private let storage: (any Storage)?

    init(_ configuration: ServiceConfiguration) throws(ServiceError) {
        accessTokenLifetime = configuration.accessTokenLifetime
        checksum = Checksum(seed: configuration.seed)
        origin = World.Origin(
            seed: configuration.seed,
            zoo: try Zoo.entries(),
            moreAnimals: configuration.animals,
            frozenAt: configuration.clock.frozenAt
        )
        var first = World(baseline: .seeded, of: origin)
        guard let path = configuration.database else {
            world = Monitor(first)
            storage = nil
            return
        }
        let storage = try openStorage(path: path)
        let stored = StoredWorld(storage: storage)
        do throws(ServiceError) {
            if try !stored.load(into: &first) { stored.save(&first) }
            if let failure = first.storageFailure { throw ServiceError(.badState, failure) }
        } catch {
            storage.close()
            throw error
        }
        self.storage = storage
        world = Monitor(first, afterChange: stored.save)
    }

    /// Lets another service have the file.
    func close() { storage?.close() }

    /// Begins anew. Who listens or is held is let go; counters, faults and the clock are as at the start.
    func reset(to baseline: Baseline) {
        world.update { world in
            var fresh = World(baseline: baseline, of: origin)
            fresh.epoch = world.epoch + 1
            fresh.messages.log.subscribers = world.messages.log.subscribers
            fresh.accessories.log.subscribers = world.accessories.log.subscribers
            fresh.faults.releases = world.faults.releases + 1
            fresh.faults.held = world.faults.held
            fresh.faults.delayed = world.faults.delayed
            world = fresh
        }
    }
}

extension Sandbox {
    typealias LogPath<Event: Sendable> = any WritableKeyPath<World, EventLog<Event>> & Sendable

    /// How long a stream is silent before it says that it is still there.
    static let heartbeat: Duration = .seconds(15)

    /// v1's long poll: the events after a number, waiting for the first of them.
    func poll<Event>(
        _ log: LogPath<Event>,
        after sequence: Int?,
        timeout: Duration
    ) async throws -> (next: Int, events: [Event]) {
        let (epoch, last, waits) = world.update { world in
            let last = world[keyPath: log].announced
            let waits = sequence == last && timeout > .zero
            if waits { world[keyPath: log].subscribers += 1 }
            return (world.epoch, last, waits)
        }
        guard let sequence, sequence <= last else { return (last, []) }
        if waits {
            defer { world.update { $0[keyPath: log].subscribers -= 1 } }
            _ = try await world.wait(atMost: timeout) { $0.epoch != epoch || $0[keyPath: log].announced > sequence }
        }
        return world.read { world in
            let after = world.epoch == epoch ? sequence : Int.max / 2
            return (world[keyPath: log].announced, world[keyPath: log].events(after: after).map(\.event))
        }
    }

    /// v2's stream: what `opening` says of the log as it is, then each event as it happens, until a reset.
    func stream<Event>(
        _ log: LogPath<Event>,
        opening: @escaping @Sendable (EventLog<Event>) throws -> [String],
        _ text: @escaping @Sendable (_ sequence: Int, _ event: Event) throws -> String
    ) -> Answer {
        .events { send in
            let (epoch, current) = self.world.update { world in
                world[keyPath: log].subscribers += 1
                return (world.epoch, world[keyPath: log])
            }
            defer { self.world.update { $0[keyPath: log].subscribers -= 1 } }
            for piece in try opening(current) { try await send(piece) }
            var sequence = current.announced
            while true {
                let known = sequence
                let isDue = try await self.world.wait(atMost: Self.heartbeat) { world in
                    world.epoch != epoch || world[keyPath: log].announced > known
                }
                let (isOver, events) = self.world.read { world in
                    (world.epoch != epoch, world[keyPath: log].events(after: known))
                }
                if isOver { return }
                if !isDue { try await send(": still here\n\n") }
                for (number, event) in events {
                    try await send(try text(number, event))
                    sequence = number
                }
            }
        }
    }
}
