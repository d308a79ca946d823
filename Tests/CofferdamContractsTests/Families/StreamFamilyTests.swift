import Cofferdam
import CofferdamContracts
import Testing

/// A vendor of numbers whose streams survive a lost connection.
private final class Numbers: Sendable {
    private let buffers = Mutex<[EventBuffer<Int>]>([])

    func events() -> EventStream<Int> {
        let buffer = EventBuffer<Int>()
        buffers.withLock { $0.append(buffer) }
        return buffer.events
    }

    func send(_ number: Int) {
        for buffer in buffers.withLock({ $0 }) { buffer.send(number, overflow: { Broken() }) }
    }
}

private struct Feed: Sendable {
    let numbers = Numbers()
    var events: @Sendable (Numbers) -> any AsyncSequence<Int, any Error> & Sendable = { $0.events() }
}

@Suite struct StreamFamilyTests {
    private let operation = StreamOperation<Feed, Int>(
        stream: PortStream(
            "numbers",
            get: { $0.events($0.numbers) },
            replace: { feed, events in
                var feed = feed
                feed.events = { _ in events() }
                return feed
            }
        ),
        vendor: .init(
            prepare: { _ in },
            send: { feed, number in feed.numbers.send(number) },
            waitForSubscribers: { _, _ in },
            befall: { _, _ in },
            inject: { _, _ in }
        ),
        number: { $0 },
        endsInOrder: true,
        overflow: .init(bound: 1024)
    )
    private let adapter = AdapterUnderTest(name: "feed", capabilities: ["resume"]) { Feed() }

    @Test func `a stream that goes on by itself is held to it, and the mutant that skips an event is killed (STRM-10)`()
        async throws
    {
        let mutant = try #require(operation.mutants.first { $0.rule == "STRM-10" })
        let row = await MutationRunner(rules: operation.rules, adapter: adapter).run(mutant)
        #expect(row.outcome == .killed, "\(row.detail ?? "no detail")")
    }

    @Test func `who cannot count what is dropped is not asked for it`() async throws {
        let report = await ContractRunner(rules: operation.rules.filter { $0.id == "STRM-07" }, adapters: [adapter])
            .run()
        #expect(report.rows.map(\.outcome) == [.skipped])
        #expect(report.rows.first?.detail?.contains("countedDrops") == true)
    }
}
