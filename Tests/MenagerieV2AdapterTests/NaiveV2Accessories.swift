#if Sandbox
import MenagerieV2
import SanctuaryDomain

/// The SDK used as its documentation suggests: its states as the port's, its queue for commands, a search per caller,
/// and no nicknames.
struct NaiveV2Accessories: Accessories {
    let client: MenagerieClient
    /// Lists before it listens. Without this the stream is the SDK's own: changes without the current state.
    var tellsCurrent = true
    /// As V1's `connect` did.
    var linksAlways = false

    func accessories() async throws -> [SanctuaryDomain.Accessory] {
        try await client.accessories().items.map(Self.read)
    }

    func events() -> any AsyncSequence<SanctuaryDomain.AccessoryEvent, any Error> & Sendable {
        let (events, event) = AsyncThrowingStream.makeStream(of: SanctuaryDomain.AccessoryEvent.self)
        let task = Task {
            do {
                let changes = try await client.accessoryEvents()
                if tellsCurrent { event.yield(.current(try await accessories())) }
                for try await change in changes {
                    switch change.change {
                    case .accessory(let accessory): event.yield(.changed(Self.read(accessory)))
                    case .removed(let id): event.yield(.removed(AccessoryID(id)))
                    }
                }
                event.finish()
            } catch {
                event.finish(throwing: error)
            }
        }
        event.onTermination = { _ in task.cancel() }
        return events
    }

    func scan() async throws -> [SanctuaryDomain.Accessory] { try await client.scan().map(Self.read) }

    func activate(_ id: AccessoryID) async throws {
        let items = try await client.accessories().items
        for active in items where active.state == .active { try await client.deactivate(active.id) }
        let target = items.first { $0.id == id.rawValue }
        if linksAlways || target?.state == .available { try await client.link(id.rawValue) }
        try await client.activate(id.rawValue)
    }

    func release(_ id: AccessoryID) async throws { try await client.unlink(id.rawValue) }

    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await client.send(command.rawValue)
    }

    func nicknames() async throws -> [AccessoryID: String] { [:] }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {}

    /// Treats a link that is being sought as linked, and battery and time as in V1.
    private static func read(_ source: MenagerieV2.Accessory) -> SanctuaryDomain.Accessory {
        SanctuaryDomain.Accessory(
            id: AccessoryID(source.id),
            name: source.name,
            link: SanctuaryDomain.Accessory.Link(rawValue: source.state.rawValue).map {
                $0 == .reconnecting ? .linked : $0
            }
                ?? .available,
            battery: Battery(percent: Int(source.battery * 100)),
            lastSeen: Instant(seconds: source.lastSeenAt, after: .referenceDate2001) ?? .referenceDate2001
        )
    }
}
#endif
