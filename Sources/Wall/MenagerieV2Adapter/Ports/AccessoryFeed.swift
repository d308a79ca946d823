import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Fills one subscriber's stream from one of the vendor's, which tells neither the state at the beginning nor that it
/// has lost events: the first is listed, the second is seen by a gap in the sequence, and listed again.
struct AccessoryFeed: Sendable {
    let list: @Sendable () async throws -> Snapshot
    let read: @Sendable (MenagerieV2.Accessory) async throws -> SanctuaryDomain.Accessory

    /// All accessories after the event of that number.
    struct Snapshot: Sendable {
        var sequence: Int
        var accessories: [AccessoryID: SanctuaryDomain.Accessory]

        init(sequence: Int, _ accessories: [SanctuaryDomain.Accessory]) {
            self.sequence = sequence
            self.accessories = Dictionary(accessories.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        }

        var sorted: [SanctuaryDomain.Accessory] { accessories.values.sorted { $0.id.rawValue < $1.id.rawValue } }
    }

    /// - Parameter events: open already, so that what happens before the first list is in both, and told apart by the
    ///   sequence.
    func run<Events: AsyncSequence & Sendable>(
        _ events: Events,
        into buffer: EventBuffer<SanctuaryDomain.AccessoryEvent>
    ) async throws where Events.Element == MenagerieV2.AccessoryEvent {
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
            let accessory = try await read(source)
            snapshot.accessories[accessory.id] = accessory
            return .changed(accessory)
        case .removed(let id):
            snapshot.accessories[AccessoryID(id)] = nil
            return .removed(AccessoryID(id))
        }
    }
}
