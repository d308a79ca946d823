import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Fills one subscriber's stream from one of the vendor's, which tells neither the state at the beginning nor that it
/// has lost events: the first is listed, the second is seen by a gap in the sequence, and listed again.
struct AccessoryFeed: Sendable {
    let connection: Connection

    func run(into buffer: EventBuffer<SanctuaryDomain.AccessoryEvent>, isOpen: Latch) async throws {
        // The stream first: what happens between it and the list is in both, and told apart by the sequence.
        let events = try await connection.perform { [connection] in
            try await connection.ask { client in try await client.accessoryEvents() }
        }
        isOpen.open()
        var snapshot = try await list()
        buffer.send(.current(snapshot.sorted), restart: { .current(snapshot.sorted) })
        for try await event in events where event.sequence > snapshot.sequence {
            if event.sequence > snapshot.sequence + 1 {
                snapshot = try await list()
                buffer.send(.current(snapshot.sorted), restart: { .current(snapshot.sorted) })
                guard event.sequence > snapshot.sequence else { continue }
            }
            let change = try await apply(event, to: &snapshot)
            buffer.send(change, restart: { .current(snapshot.sorted) })
        }
    }

    private func apply(
        _ event: MenagerieV2.AccessoryEvent,
        to snapshot: inout Snapshot
    ) async throws -> SanctuaryDomain.AccessoryEvent {
        snapshot.sequence = event.sequence
        switch event.change {
        case .accessory(let source):
            let accessory = try await connection.read(source, as: .accessories, of: "accessory events")
            snapshot.accessories[accessory.id] = accessory
            return .changed(accessory)
        case .removed(let id):
            snapshot.accessories[AccessoryID(id)] = nil
            return .removed(AccessoryID(id))
        }
    }

    private func list() async throws -> Snapshot {
        try await connection.perform { [connection] in
            let list = try await connection.ask { client in try await client.accessories() }
            let accessories = try await connection.read(list.items, as: .accessories, of: "accessories")
            let byID = Dictionary(accessories.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            return Snapshot(sequence: list.sequence, accessories: byID)
        }
    }

    private struct Snapshot: Sendable {
        var sequence: Int
        var accessories: [AccessoryID: SanctuaryDomain.Accessory]

        var sorted: [SanctuaryDomain.Accessory] { accessories.values.sorted { $0.id.rawValue < $1.id.rawValue } }
    }
}
