#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Fills one subscriber's stream from one of the vendor's. The vendor's stream does not begin with the current state,
/// so the feed lists it first; it does not report lost events, so the feed lists again when the sequence has a gap; and
/// it does not report when it stops seeking a link, so the feed adds that event when the time has run out.
struct AccessoryFeed: Sendable {
    let list: @Sendable () async throws -> Snapshot
    let read: @Sendable (MenagerieV2.Accessory) async throws -> SanctuaryDomain.Accessory
    let links: LinkWatch

    /// All accessories, as of the event with that number.
    struct Snapshot: Sendable {
        var sequence: Int
        var accessories: [AccessoryID: SanctuaryDomain.Accessory]

        init(sequence: Int, _ accessories: [SanctuaryDomain.Accessory]) {
            self.sequence = sequence
            self.accessories = Dictionary(accessories.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        }

        var sorted: [SanctuaryDomain.Accessory] { accessories.values.sorted { $0.id.rawValue < $1.id.rawValue } }
    }

    /// - Parameter events: already open, so that events before the first list are in both, and are recognised by their
    ///   sequence.
    func run<Events: AsyncSequence & Sendable>(
        _ events: Events,
        into buffer: EventBuffer<SanctuaryDomain.AccessoryEvent>
    ) async throws where Events.Element == MenagerieV2.AccessoryEvent {
        let sent = SentState(buffer)
        try await withThrowingDiscardingTaskGroup { group in
            var watched: Set<AccessoryID> = []
            // One wait for each lost link, however many events about the accessory arrive meanwhile.
            func watch(_ accessories: some Sequence<SanctuaryDomain.Accessory>) {
                for accessory in accessories {
                    guard accessory.link == .reconnecting else {
                        watched.remove(accessory.id)
                        continue
                    }
                    guard watched.insert(accessory.id).inserted else { continue }
                    group.addTask { [links] in
                        do { try await links.runOut(accessory) } catch { return }
                        sent.review(accessory.id, by: links)
                    }
                }
            }
            watch(try await restart(sent))
            for try await event in events where event.sequence > sent.sequence {
                if event.sequence > sent.sequence + 1 {
                    watch(try await restart(sent))
                    guard event.sequence > sent.sequence else { continue }
                }
                switch event.change {
                case .accessory(let source):
                    let accessory = links.seen(try await read(source))
                    sent.change(accessory, sequence: event.sequence)
                    watch([accessory])
                case .removed(let id): sent.remove(AccessoryID(id), sequence: event.sequence)
                }
            }
            group.cancelAll()
        }
    }

    private func restart(_ sent: SentState) async throws -> [SanctuaryDomain.Accessory] {
        var snapshot = try await list()
        snapshot.accessories = snapshot.accessories.mapValues(links.seen)
        sent.restart(snapshot)
        return snapshot.sorted
    }
}

/// The state that a subscriber has received, shared by all that send to it.
private final class SentState: Sendable {
    private let state = Mutex(AccessoryFeed.Snapshot(sequence: 0, []))
    private let buffer: EventBuffer<SanctuaryDomain.AccessoryEvent>

    init(_ buffer: EventBuffer<SanctuaryDomain.AccessoryEvent>) { self.buffer = buffer }

    var sequence: Int { state.withLock { $0.sequence } }

    func restart(_ snapshot: AccessoryFeed.Snapshot) {
        send { state in
            state = snapshot
            return .current(snapshot.sorted)
        }
    }

    func change(_ accessory: SanctuaryDomain.Accessory, sequence: Int) {
        send { state in
            state.sequence = sequence
            state.accessories[accessory.id] = accessory
            return .changed(accessory)
        }
    }

    func remove(_ id: AccessoryID, sequence: Int) {
        send { state in
            state.sequence = sequence
            state.accessories[id] = nil
            return .removed(id)
        }
    }

    /// Reviews an accessory; an unchanged one produces no event.
    func review(_ id: AccessoryID, by links: LinkWatch) {
        send { state in
            guard let old = state.accessories[id], old.link == .reconnecting else { return nil }
            let new = links.seen(old)
            guard new != old else { return nil }
            state.accessories[id] = new
            return .changed(new)
        }
    }

    /// Sends under the lock, so that events are in order.
    private func send(_ change: (inout AccessoryFeed.Snapshot) -> SanctuaryDomain.AccessoryEvent?) {
        state.withLock { state in
            guard let event = change(&state) else { return }
            buffer.send(event, restart: { .current(state.sorted) })
        }
    }
}
#endif
