import ArgumentParser
import CofferdamStore
import Synchronization

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "The store's costs against how much there is, in microseconds."
    )

    @OptionGroup var results: ResultsOptions
    @Option(help: "The largest number of listeners and models.")
    var largest = 100_000

    func run() async throws {
        var rows: [Measurement] = []
        for size in [100, 1000, 10_000, 100_000] where size <= largest {
            rows += await StoreBench(size: size).run()
        }
        for size in [100, 1000, 10_000, 100_000, 1_000_000] where size <= largest * 10 {
            rows += StoreBench(size: size).collection()
        }
        rows += try await StoreCacheBench(size: largest).run()
        for row in rows {
            print("\(row.name): \(row.value.formatted(decimals: 2)) \(row.unit), \(row.samples) samples")
        }
        try results.write(rows, suite: "store")
    }
}

private struct Record: StoreModel {
    var id: Int
    var value: Int
    var name = "record"
}

private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    @discardableResult
    func add() -> Int { count.add(1, ordering: .relaxed).newValue }
}

private struct StoreBench {
    let size: Int
    private let clock = ContinuousClock()
    private var rounds: Int { max(5, min(200, 200_000 / size)) }

    func run() async -> [Measurement] {
        [fanout(), await sequence(), distinct(), paused(), waiting()] + registration()
    }

    /// One change to the last of N listeners on one model.
    private func fanout() -> Measurement {
        let (store, counter) = (Store(), Counter())
        store.set(Record(id: 1, value: 0))
        let tokens = (0..<size).map { _ in store.listen(Record.self, id: 1) { _ in counter.add() } }
        return measured("fanout", rounds) { round in store.set(Record(id: 1, value: round + 1)) }
            .keeping(tokens)
    }

    /// One change to the last of N tasks that iterate states of one model.
    private func sequence() async -> Measurement {
        let (store, counter) = (Store(), Counter())
        store.set(Record(id: 1, value: 0))
        let (finished, finish) = AsyncStream<Void>.makeStream()
        let size = size
        let tasks = (0..<size).map { _ in
            Task {
                for await _ in store.states(Record.self, id: 1) {
                    if counter.add().isMultiple(of: size) { finish.yield() }
                }
            }
        }
        var ends = finished.makeAsyncIterator()
        await ends.next()
        var samples: [Double] = []
        for round in 0..<max(5, rounds / 4) {
            let start = clock.now
            store.set(Record(id: 1, value: round + 1))
            await ends.next()
            samples.append((clock.now - start).microseconds)
        }
        for task in tasks { task.cancel() }
        return row("sequence", samples)
    }

    /// One of N models that each have a listener changes.
    private func distinct() -> Measurement {
        let (store, counter) = (Store(), Counter())
        store.set((0..<size).map { Record(id: $0, value: 0) })
        let tokens = (0..<size).map { id in store.listen(Record.self, id: id) { _ in counter.add() } }
        return measured("distinct", 500) { round in store.set(Record(id: round % size, value: round + 1)) }
            .keeping(tokens)
    }

    /// The same while N unrelated listeners are paused.
    private func paused() -> Measurement {
        let (store, counter) = (Store(), Counter())
        let tokens = (0..<size).map { id in store.listen(Record.self, id: id) { _ in counter.add() } }
        for token in tokens { token.pause() }
        let token = store.listen(Record.self, id: -1) { _ in counter.add() }
        return measured("paused", 500) { round in store.set(Record(id: -1, value: round)) }.keeping(tokens + [token])
    }

    /// The same while N wait for ids that there are not.
    private func waiting() -> Measurement {
        let (store, counter) = (Store(), Counter())
        let tokens = (0..<size).map { id in store.listen(Record.self, id: id) { _ in counter.add() } }
        let token = store.listen(Record.self, id: -1) { _ in counter.add() }
        return measured("waiting", 500) { round in store.set(Record(id: -1, value: round)) }.keeping(tokens + [token])
    }

    /// N listeners on one model come, are told what is there, and go.
    private func registration() -> [Measurement] {
        var (coming, going): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            let (store, counter) = (Store(), Counter())
            store.set(Record(id: 1, value: 0))
            var tokens: [StoreListening] = []
            tokens.reserveCapacity(size)
            var start = clock.now
            for _ in 0..<size { tokens.append(store.listen(Record.self, id: 1) { _ in counter.add() }) }
            coming.append((clock.now - start).microseconds)
            start = clock.now
            for token in tokens { token.cancel() }
            going.append((clock.now - start).microseconds)
        }
        return [row("register", coming), row("unregister", going)]
    }

    /// One element of a collection of N changes, while old snapshots stay.
    func collection() -> [Measurement] {
        let (store, counter) = (Store(), Counter())
        let list = StoreCollection((0..<size).map { Record(id: $0, value: 0) }, in: store)
        let token = list.listen { _ in counter.add() }
        var snapshots: [PersistentList<Record>] = []
        var samples: [Double] = []
        for round in 0..<1000 {
            let id = (round &* 7919) % size
            let start = clock.now
            store.set(Record(id: id, value: round + 1))
            samples.append((clock.now - start).microseconds)
            if round.isMultiple(of: 100) { snapshots.append(list.elements) }
        }
        token.cancel()
        let p99 = samples.sorted()[samples.count * 99 / 100]
        return [
            row("collection", samples),
            Measurement(
                name: "collection.\(size).p99",
                value: p99,
                unit: "us",
                base: "",
                ratio: 1,
                samples: samples.count
            ),
        ]
    }

    private func measured(_ name: String, _ rounds: Int, _ body: (Int) -> Void) -> Measurement {
        var samples: [Double] = []
        for round in 0..<rounds {
            let start = clock.now
            body(round)
            samples.append((clock.now - start).microseconds)
        }
        return row(name, samples)
    }

    private func row(_ name: String, _ samples: [Double]) -> Measurement {
        Measurement(
            name: "\(name).\(size)",
            value: Measurement.median(samples),
            unit: "us",
            base: "",
            ratio: 1,
            samples: samples.count
        )
    }
}

extension Measurement {
    fileprivate func keeping(_ tokens: [StoreListening]) -> Measurement { withExtendedLifetime(tokens) { self } }
}

extension Duration {
    fileprivate var microseconds: Double { seconds * 1e6 }
}
