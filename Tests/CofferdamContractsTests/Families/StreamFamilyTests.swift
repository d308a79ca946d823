import Cofferdam
import CofferdamContracts
import Testing

/// A vendor of numbers whose streams survive a lost connection.
private final class Numbers: Sendable {
    private let buffers = Mutex<[EventBuffer<Int>]>([])
    private let past = Mutex<[Int]>([])
    private let forgets: Bool
    private let bound: Int
    private let replays: Bool

    /// - Parameters:
    ///   - forgets: whether the vendor releases subscribers that have gone.
    ///   - replays: whether a new subscriber receives all earlier events.
    init(forgets: Bool = true, keeping bound: Int = 1024, replays: Bool = false) {
        self.forgets = forgets
        self.bound = bound
        self.replays = replays
    }

    /// - Parameter isDelivered: returns whether a number is delivered.
    func events(_ isDelivered: @escaping @Sendable (Int) -> Bool) -> any AsyncSequence<Int, any Error> & Sendable {
        events().filter(isDelivered)
    }

    func events() -> EventStream<Int> {
        let buffer = EventBuffer<Int>(limit: bound)
        if replays { for number in past.withLock({ $0 }) { buffer.send(number, overflow: { Broken() }) } }
        buffers.withLock { $0.append(buffer) }
        if forgets {
            buffer.onTermination { [weak self, weak buffer] in self?.buffers.withLock { $0.removeAll { $0 === buffer } }
            }
        }
        return buffer.events
    }

    var subscribers: Int { buffers.withLock { $0.count } }

    func lose() {
        for buffer in buffers.withLock({ $0 }) { buffer.finish(throwing: Broken()) }
    }

    func send(_ number: Int) {
        past.withLock { $0.append(number) }
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
        repeatsPast: Bool = false,
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
                cause: { _, _ in },
                inject: { _, _ in }
            ),
            number: { $0 > 0 ? $0 : nil },
            removal: .init(remove: { feed, number in feed.numbers.send(-number) }, isRemoval: { $0 < 0 }),
            repeatsPast: repeatsPast,
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
        return await ContractRunner(rules: rules, adapters: [adapter]).run().rows.first
    }

    @Test func `a stream that resumes by itself is checked, and the mutant that skips an event is killed (STRM-10)`()
        async throws
    {
        let mutant = try #require(operation.mutants.first { $0.rule == "STRM-10" })
        let row = await MutationRunner(rules: operation.rules, adapter: adapter).run(mutant)
        #expect(row.outcome == .killed, "\(row.detail ?? "no detail")")
    }

    @Test func `if the harness cannot count drops, the counting is not judged`() async {
        let row = await row("STRM-07", of: Self.operation { _, _ in })
        #expect(row?.missingHarnessCapabilities == ["countedDrops"])
    }

    @Test func `a stream that does not count its drops must still keep its bound (STRM-07)`() async throws {
        #expect(await row("STRM-07")?.outcome == .passed)
        let wide = await row("STRM-07", of: Self.operation(bound: 300))
        #expect(wide?.detail?.contains("556 were kept, the declared bound is 300") == true, "\(wide?.detail ?? "")")
        for mutant in operation.mutants where mutant.rule == "STRM-07" {
            let killed = await MutationRunner(rules: operation.rules, adapter: adapter).run(mutant)
            #expect(killed.outcome == .killed, "\(mutant.name): \(killed.detail ?? "no detail")")
        }
    }

    /// The number of events beyond the declared bound does not depend on the bound.
    @Test(arguments: [1, 2, 8, 1000]) func `a small bound is enforced as strictly as a large one (STRM-07)`(
        _ bound: Int
    ) async throws {
        func outcome(keeping kept: Int) async -> String {
            let row = await row("STRM-07", of: Self.operation(bound: bound), Feed(numbers: Numbers(keeping: kept)))
            return row?.outcome == .failed ? row?.detail ?? "" : "\(row?.outcome.rawValue ?? "")"
        }
        #expect(await outcome(keeping: bound) == "passed")
        #expect(
            await outcome(keeping: bound + 300).contains("\(bound + 256) were kept, the declared bound is \(bound)")
        )
    }

    // MARK: Earlier events

    @Test(arguments: ["STRM-12", "STRM-13"] as [RuleID])
    func `each mutant of a stream that delivers removals and no past events is killed`(_ rule: RuleID) async {
        #expect(await row(rule)?.outcome == .passed)
        for mutant in operation.mutants where mutant.rule == rule {
            let killed = await MutationRunner(rules: operation.rules, adapter: adapter).run(mutant)
            #expect(killed.outcome == .killed, "\(mutant.name): \(killed.detail ?? "no detail")")
        }
    }

    @Test func `a stream that omits removals is caught (STRM-12)`() async {
        let row = await row("STRM-12", Feed(events: { $0.events { $0 > 0 } }))
        #expect(
            row?.detail?.contains("how often a removal was delivered: expected 1, got 0") == true,
            "\(row?.detail ?? "")"
        )
    }

    @Test func `a stream that replays its past is caught, unless the port documents it (STRM-13)`() async {
        let log = Feed(numbers: Numbers(replays: true))
        let row = await row("STRM-13", log)
        #expect(row?.detail?.contains("connection 1: received") == true, "\(row?.detail ?? "")")
        let rules = Self.operation(repeatsPast: true).rules.map(\.id)
        #expect(!rules.contains("STRM-13") && rules.contains("STRM-12"))
    }

    @Test func `what belonged to a dropped stream must be freed, even if nobody is subscribed (STRM-06)`()
        async throws
    {
        #expect(await row("STRM-06")?.outcome == .passed)
        let keeping = await row("STRM-06", Feed(numbers: Numbers(forgets: false)))
        #expect(keeping?.detail?.contains("everything that belonged to them") == true, "\(keeping?.detail ?? "")")
        for mutant in operation.mutants where mutant.rule == "STRM-06" {
            let row = await MutationRunner(rules: operation.rules, adapter: adapter).run(mutant)
            #expect(row.outcome == .killed, "\(mutant.name): \(row.detail ?? "no detail")")
        }
    }

    // MARK: Without numbers

    /// The stream of a port that reports only that something has changed.
    private static let signals = StreamOperation<Feed, Int>(
        stream: operation().stream,
        vendor: .init(
            prepare: { _ in },
            send: { feed, _ in feed.numbers.send(0) },
            waitForSubscribers: { feed, count in
                while feed.numbers.subscribers != count {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            },
            cause: { feed, _ in feed.numbers.lose() },
            inject: { _, _ in }
        ),
        number: nil,
        endsInOrder: false,
        overflow: .init(bound: 1024)
    )
    private static let judgedSignals: Set<RuleID> = ["STRM-02", "STRM-03", "STRM-04", "STRM-06"]

    @Test func `events without numbers are judged by the rules that need none, and the others say why not`() async {
        let report = await ContractRunner(rules: Self.signals.rules, adapters: [adapter]).run()
        let judged = report.rows.filter { $0.outcome != .skipped }
        #expect(Set(judged.map(\.rule)) == Self.judgedSignals)
        #expect(judged.filter { $0.outcome != .passed }.map { $0.detail ?? "" } == [])
        let reasons = Set(report.rows.filter { $0.outcome == .skipped }.map(\.detail))
        #expect(reasons == ["its events carry no number that tells one from another"])
    }

    @Test func `a stream of signals that ends as if complete is caught (STRM-03)`() async throws {
        let careless = Feed(events: { numbers in
            let clean = numbers.events()
            return AsyncThrowingStream<Int, any Error> { continuation in
                let task = Task {
                    do { for try await signal in clean { continuation.yield(signal) } } catch {}
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        })
        let row = try #require(await row("STRM-03", of: Self.signals, careless))
        #expect(row.detail?.contains("after loss they end as if complete") == true, "\(row.detail ?? "")")
    }

    @Test func `the mutants of signals are killed where they can be judged`() async {
        let runner = MutationRunner(rules: Self.signals.rules, adapter: adapter)
        let report = await runner.run(Self.signals.mutants, atOnce: 4)
        #expect(report.problems == [])
        #expect(Set(report.rows.filter { $0.outcome == .killed }.map(\.rule)) == Self.judgedSignals)
    }
}
