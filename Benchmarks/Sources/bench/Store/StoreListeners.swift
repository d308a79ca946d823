import CofferdamStore

/// N listeners: on one model, or on one of N models each.
struct StoreListeners {
    let size: Int
    private let clock = ContinuousClock()
    private var rounds: Int { max(5, min(200, 200_000 / size)) }

    init(size: Int) { self.size = size }

    func rows() async -> [Measurement] {
        [fanout(), await sequence(), distinct(), paused(), waiting()] + registration()
    }

    /// Measures one change, until the last of N listeners on one model has it.
    private func fanout() -> Measurement {
        let (store, counter) = (Store(), CallCount())
        store.set(Record(id: 1, value: 0))
        let tokens = (0..<size).map { _ in store.listen(Record.self, id: 1) { _ in counter.add() } }
        defer { withExtendedLifetime(tokens) {} }
        return measured("fanout", rounds) { round in store.set(Record(id: 1, value: round + 1)) }
    }

    /// Measures a change to one of N models that each have a listener.
    private func distinct() -> Measurement {
        let (store, counter) = (Store(), CallCount())
        store.set((0..<size).map { Record(id: $0, value: 0) })
        let tokens = (0..<size).map { id in store.listen(Record.self, id: id) { _ in counter.add() } }
        defer { withExtendedLifetime(tokens) {} }
        return measured("distinct", 500) { round in store.set(Record(id: round % size, value: round + 1)) }
    }

    /// Measures a change to one model while N unrelated listeners are paused.
    private func paused() -> Measurement { unrelated("paused") { $0.pause() } }

    /// Measures a change to one model while N listeners wait for ids that do not exist.
    private func waiting() -> Measurement { unrelated("waiting") { _ in } }

    private func unrelated(_ name: String, _ prepare: (StoreListenerToken) -> Void) -> Measurement {
        let (store, counter) = (Store(), CallCount())
        let tokens = (0..<size).map { id in store.listen(Record.self, id: id) { _ in counter.add() } }
        for token in tokens { prepare(token) }
        let token = store.listen(Record.self, id: -1) { _ in counter.add() }
        defer { withExtendedLifetime(tokens + [token]) {} }
        return measured(name, 500) { round in store.set(Record(id: -1, value: round)) }
    }

    /// Measures N listeners on one model that register, receive the current value, and unregister.
    private func registration() -> [Measurement] {
        var (coming, going): ([Duration], [Duration]) = ([], [])
        for _ in 0..<5 {
            let (store, counter) = (Store(), CallCount())
            store.set(Record(id: 1, value: 0))
            var tokens: [StoreListenerToken] = []
            tokens.reserveCapacity(size)
            coming.append(
                clock.measure {
                    for _ in 0..<size { tokens.append(store.listen(Record.self, id: 1) { _ in counter.add() }) }
                }
            )
            going.append(clock.measure { for token in tokens { token.cancel() } })
        }
        return [.median("register.\(size)", coming), .median("unregister.\(size)", going)]
    }

    private func measured(_ name: String, _ rounds: Int, _ body: (Int) -> Void) -> Measurement {
        .median("\(name).\(size)", (0..<rounds).map { round in clock.measure { body(round) } })
    }

    // MARK: Sequences

    /// Measures one change until it has reached the last of N tasks that iterate states of one model, and in the same
    /// rounds the last of N tasks that iterate a stream each.
    private func sequence() async -> Measurement {
        let store = Store()
        store.set(Record(id: 1, value: 0))
        let states = await Consumers(size) { _ in store.states(Record.self, id: 1) }
        let pairs = (0..<size).map { _ in AsyncStream.makeStream(of: Record.self, bufferingPolicy: .bufferingNewest(1))
        }
        for pair in pairs { pair.continuation.yield(Record(id: 1, value: 0)) }
        let streams = await Consumers(size) { pairs[$0].stream }
        var (ours, theirs): ([Duration], [Duration]) = ([], [])
        for round in 1...max(10, rounds / 4) {
            ours.append(await states.measure { store.set(Record(id: 1, value: round)) })
            theirs.append(
                await streams.measure { for pair in pairs { pair.continuation.yield(Record(id: 1, value: round)) } }
            )
        }
        states.cancel()
        streams.cancel()
        var row = Measurement.median("sequence.\(size)", ours)
        row.base = "an AsyncStream each (limit 0.77)"
        row.ratio = Measurement.median(zip(ours, theirs).map { $0 / $1 })
        return row
    }
}

/// Tasks that each iterate a sequence, and have taken its first element.
private struct Consumers {
    private let tasks: [Task<Void, Never>]
    private let ends: AsyncStream<Void>

    init<S: AsyncSequence & Sendable>(_ count: Int, _ sequence: @escaping @Sendable (Int) -> S) async
    where S.Failure == Never {
        let counter = CallCount()
        let (ends, end) = AsyncStream<Void>.makeStream()
        self.ends = ends
        tasks = (0..<count).map { index in
            Task {
                for await _ in sequence(index) {
                    if counter.add().isMultiple(of: count) { end.yield() }
                }
            }
        }
        await waitForAll()
    }

    /// Measures until the last task has taken the element that `body` sends.
    func measure(_ body: () -> Void) async -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        body()
        await waitForAll()
        return clock.now - start
    }

    func cancel() {
        for task in tasks { task.cancel() }
    }

    private func waitForAll() async {
        for await _ in ends { return }
    }
}
