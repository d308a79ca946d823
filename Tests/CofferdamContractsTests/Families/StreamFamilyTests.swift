import Cofferdam
import CofferdamContracts
import Testing

/// A vendor of numbers whose streams survive a lost connection.
private final class Numbers: Sendable {
    private let buffers = Mutex<[EventBuffer<Int>]>([])
    private let forgets: Bool

    /// - Parameter forgets: whether a subscriber who has gone leaves nothing behind.
    init(forgets: Bool = true) { self.forgets = forgets }

    func events() -> EventStream<Int> {
        let buffer = EventBuffer<Int>()
        buffers.withLock { $0.append(buffer) }
        if forgets {
            buffer.onTermination { [weak self, weak buffer] in self?.buffers.withLock { $0.removeAll { $0 === buffer } }
            }
        }
        return buffer.events
    }

    func send(_ number: Int) {
        for buffer in buffers.withLock({ $0 }) { buffer.send(number, overflow: { Broken() }) }
    }
}

private struct Feed: Sendable {
    var numbers = Numbers()
    var events: @Sendable (Numbers) -> any AsyncSequence<Int, any Error> & Sendable = { $0.events() }
}

@Suite struct StreamFamilyTests {
    private static func operation(
        bound: Int = 1024,
        waitForDrops: (@Sendable (Feed, Int) async throws -> Void)? = nil
    ) -> StreamOperation<Feed, Int> {
        StreamOperation(
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
            overflow: .init(bound: bound, isError: { $0 is Broken }, waitForDrops: waitForDrops)
        )
    }

    private let operation = operation()
    private let adapter = AdapterUnderTest(name: "feed", capabilities: ["resume"]) { Feed() }

    private func row(
        _ rule: RuleID,
        of operation: StreamOperation<Feed, Int>? = nil,
        _ feed: Feed = Feed()
    ) async -> ContractReport.Row? {
        let rules = (operation ?? self.operation).rules.filter { $0.id == rule }
        let adapter = AdapterUnderTest(name: "feed") { feed }
        return await ContractRunner(rules: rules, adapters: [adapter], clock: HurriedClock()).run().rows.first
    }

    @Test func `a stream that goes on by itself is held to it, and the mutant that skips an event is killed (STRM-10)`()
        async throws
    {
        let mutant = try #require(operation.mutants.first { $0.rule == "STRM-10" })
        let row = await MutationRunner(rules: operation.rules, adapter: adapter).run(mutant)
        #expect(row.outcome == .killed, "\(row.detail ?? "no detail")")
    }

    @Test func `where the stand cannot count what is dropped, its counting is not judged`() async {
        let row = await row("STRM-07", of: Self.operation { _, _ in })
        #expect(row?.missingPowers == ["countedDrops"])
    }

    @Test func `a stream whose drops nobody counts is held to its bound (STRM-07)`() async throws {
        #expect(await row("STRM-07")?.outcome == .passed)
        let wide = await row("STRM-07", of: Self.operation(bound: 300))
        #expect(wide?.detail?.contains("450 were kept, 300 at most are declared") == true, "\(wide?.detail ?? "")")
        let mutant = try #require(operation.mutants.first { $0.rule == "STRM-07" })
        let killed = await MutationRunner(rules: operation.rules, adapter: adapter).run(mutant)
        #expect(killed.outcome == .killed, "\(killed.detail ?? "no detail")")
    }

    @Test func `what belonged to a stream that was dropped must be freed, though nobody is subscribed (STRM-06)`()
        async throws
    {
        #expect(await row("STRM-06")?.outcome == .passed)
        let keeping = await row("STRM-06", Feed(numbers: Numbers(forgets: false)))
        #expect(keeping?.detail?.contains("nobody keeps what belonged to them") == true, "\(keeping?.detail ?? "")")
        for mutant in operation.mutants where mutant.rule == "STRM-06" {
            let row = await MutationRunner(rules: operation.rules, adapter: adapter, clock: HurriedClock()).run(mutant)
            #expect(row.outcome == .killed, "\(mutant.name): \(row.detail ?? "no detail")")
        }
    }
}
