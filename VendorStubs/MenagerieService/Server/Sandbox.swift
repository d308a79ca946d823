#if Sandbox
/// The world and its controls, shared by both APIs and the control interface.
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

    /// Closes the storage, so that another service can open the file.
    func close() { storage?.close() }

    /// Resets the world. Listeners and held calls are released; counters, faults and the clock are reset.
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
    /// Ends a stream that must not be finished.
    struct Interrupted: Error {}

    typealias LogPath<Event: Sendable> = any WritableKeyPath<World, EventLog<Event>> & Sendable

    /// The silence after which a stream sends a heartbeat.
    static let heartbeat: Duration = .seconds(15)

    /// v1's long poll: returns the events after a number, waiting for the first of them.
    func poll<Event>(
        _ log: LogPath<Event>,
        after sequence: Int?,
        timeout: Duration
    ) async throws -> (next: Int, events: [Event]) {
        let (epoch, last, waits, incidents) = world.update { world in
            let last = world[keyPath: log].announced
            let waits = sequence == last && timeout > .zero
            if waits { world[keyPath: log].subscribers += 1 }
            return (world.epoch, last, waits, world[keyPath: log].incident.count)
        }
        guard let sequence, sequence <= last else { return (last, []) }
        if waits {
            defer { world.update { $0[keyPath: log].subscribers -= 1 } }
            _ = try await world.wait(atMost: timeout) { world in
                let current = world[keyPath: log]
                return world.epoch != epoch || current.announced > sequence || current.incident.count != incidents
            }
            let incident = world.read { $0[keyPath: log].incident }
            if incident.count != incidents, incident.kind == .truncation || incident.kind == .loss {
                throw Refusal(.unavailable, "the connection to the events is lost")
            }
        }
        return world.read { world in
            let after = world.epoch == epoch ? sequence : Int.max / 2
            return (world[keyPath: log].announced, world[keyPath: log].events(after: after).map(\.event))
        }
    }

    /// v2's stream: sends the events of `opening`, then each event as it happens, until a reset.
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
            var (sequence, incidents) = (current.announced, current.incident.count)
            while true {
                let (known, seenIncidents) = (sequence, incidents)
                let isDue = try await self.world.wait(atMost: Self.heartbeat) { world in
                    world.epoch != epoch || world[keyPath: log].announced > known
                        || world[keyPath: log].incident.count != seenIncidents
                }
                let (isOver, events, incident) = self.world.read { world in
                    (world.epoch != epoch, world[keyPath: log].events(after: known), world[keyPath: log].incident)
                }
                if isOver { return }
                var isHeartbeat = !isDue
                if incident.count != incidents {
                    incidents = incident.count
                    switch incident.kind {
                    case .end: return
                    case .truncation:
                        try await send("event: message\nda")
                        throw Interrupted()
                    case .loss: throw Interrupted()
                    case .heartbeat, nil: isHeartbeat = true
                    }
                }
                if isHeartbeat { try await send(": still here\n\n") }
                for (number, event) in events {
                    try await send(try text(number, event))
                    sequence = number
                }
            }
        }
    }
}
#endif
