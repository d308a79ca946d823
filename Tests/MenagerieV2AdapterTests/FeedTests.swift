#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite struct FeedTests {
    @Test("D10: a gap in the vendor's sequence yields the current state, and nothing is delivered twice")
    func accessories() async throws {
        let sequences = Mutex([2, 7])
        let feed = AccessoryFeed(
            list: {
                let sequence = sequences.withLock { $0.removeFirst() }
                return AccessoryFeed.Snapshot(sequence: sequence, [accessory("b", sequence), accessory("a", sequence)])
            },
            read: { accessory($0.id, Int($0.battery)) },
            links: LinkWatch(clock: ContinuousClock())
        )
        let events = [1, 2, 3, 6, 7, 8].map {
            MenagerieV2.AccessoryEvent(sequence: $0, change: .accessory(source("a", $0)))
        }
        let removal = MenagerieV2.AccessoryEvent(sequence: 9, change: .removed(id: "b"))
        let buffer = EventBuffer<SanctuaryDomain.AccessoryEvent>()
        try await feed.run(stream(events + [removal]), into: buffer)
        let delivered = try await all(of: buffer)
        #expect(
            delivered == [
                .current([accessory("a", 2), accessory("b", 2)]), .changed(accessory("a", 3)),
                .current([accessory("a", 7), accessory("b", 7)]), .changed(accessory("a", 8)),
                .removed(AccessoryID("b")),
            ]
        )
    }

    @Test("D10: a subscriber that is too far behind gets the current state instead of the lost events")
    func slow() async throws {
        let feed = AccessoryFeed(
            list: { AccessoryFeed.Snapshot(sequence: 0, []) },
            read: { accessory($0.id, Int($0.battery)) },
            links: LinkWatch(clock: ContinuousClock())
        )
        let events = (1...10).map { MenagerieV2.AccessoryEvent(sequence: $0, change: .accessory(source("a", $0))) }
        let buffer = EventBuffer<SanctuaryDomain.AccessoryEvent>(limit: 4)
        try await feed.run(stream(events), into: buffer)
        let delivered = try await all(of: buffer)
        #expect(
            delivered == [.current([accessory("a", 8)]), .changed(accessory("a", 9)), .changed(accessory("a", 10))]
        )
    }

    @Test("D21: replays are not delivered, nothing is delivered twice, and dropped events are fetched")
    func messages() async throws {
        let gaps = Mutex<[[Int]]>([])
        let feed = MessageFeed(
            missed: { after, before in
                gaps.withLock { $0.append([after, before]) }
                return (after + 1..<before).map { message($0) }
            },
            read: { message($0.sequence) }
        )
        let replayed = [3, 4].map { event($0, isReplay: true) }
        let live = [4, 5, 5, 8, 7, 9].map { event($0, isReplay: false) }
        let deletion = MenagerieV2.MessageEvent(sequence: 10, isReplay: false, change: .deleted(id: "m-5"))
        for last in [4, nil] {
            let buffer = EventBuffer<SanctuaryDomain.MessageEvent>()
            try await feed.run(stream(replayed + live + [deletion]), after: last, into: buffer)
            let delivered = try await all(of: buffer)
            #expect(delivered == [5, 6, 7, 8, 9].map { .received(message($0)) } + [.deleted(MessageID("m-5"))])
        }
        #expect(gaps.withLock { $0 } == [[5, 8], [5, 8]])
    }

    @Test(
        "D21: the number of lost events is known whatever their numbers",
        arguments: [(5, 8, 2, 0), (5, 8, 0, 2), (.min, .max, 0, Int128(UInt64.max) - 1)] as [(Int, Int, Int, Int128)]
    )
    func lostEvents(last: Int, next: Int, found: Int, lost: Int128) {
        #expect(MessageFeed.lostEvents(after: last, before: next, found: found) == lost)
    }

    @Test
    func `D22: the SDK's local echoes are left out, even where the vendor has not said where the stream begins`()
        async throws
    {
        let feed = MessageFeed(missed: { _, _ in [] }, read: { message($0.sequence) })
        let own = MenagerieV2.Message(id: "m-7", localId: "k", sequence: 7, author: "amara", text: "", sentAt: "")
        var temporary = own
        (temporary.id, temporary.sequence) = ("tmp-k", 0)
        let echo = MenagerieV2.MessageEvent(sequence: 0, isReplay: false, change: .message(temporary))
        let answer = MenagerieV2.MessageEvent(
            sequence: 7,
            isReplay: false,
            change: .acknowledged(temporaryId: "tmp-k", own)
        )
        let events = [echo, answer, event(6, isReplay: false), event(7, isReplay: false)]
        for last in [5, nil] {
            let buffer = EventBuffer<SanctuaryDomain.MessageEvent>()
            try await feed.run(stream(events), after: last, into: buffer)
            let delivered = try await all(of: buffer)
            #expect(delivered == [.received(message(6)), .received(message(7))])
        }
    }

    private func stream<Event: Sendable>(_ events: [Event]) -> AsyncStream<Event> {
        AsyncStream { continuation in
            for event in events { continuation.yield(event) }
            continuation.finish()
        }
    }

    private func all<Event: Sendable>(of buffer: EventBuffer<Event>) async throws -> [Event] {
        buffer.finish()
        return try await buffer.events.reduce(into: []) { $0.append($1) }
    }
}

private func accessory(_ id: String, _ percent: Int) -> SanctuaryDomain.Accessory {
    .init(
        id: AccessoryID(id),
        name: id,
        link: .linked,
        battery: Battery(percent: percent),
        lastSeen: Instant(millisecondsSince1970: 0)
    )
}

private func source(_ id: String, _ percent: Int) -> MenagerieV2.Accessory {
    .init(id: id, name: id, state: .linked, battery: Double(percent), lastSeenAt: 0)
}

private func message(_ sequence: Int) -> SanctuaryDomain.Message {
    .init(id: MessageID("m-\(sequence)"), author: "noor", text: "", sentAt: Instant(millisecondsSince1970: 0))
}

private func event(_ sequence: Int, isReplay: Bool) -> MenagerieV2.MessageEvent {
    let source = MenagerieV2.Message(id: "", sequence: sequence, author: "", text: "", sentAt: "")
    return .init(sequence: sequence, isReplay: isReplay, change: .message(source))
}
#endif
