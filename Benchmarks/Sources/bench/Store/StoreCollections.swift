import CofferdamStore

enum StoreCollections {
    /// Changes one element of a collection, while old snapshots exist.
    static func oneElement(of size: Int) -> [Measurement] {
        let (store, counter, clock) = (Store(), CallCount(), ContinuousClock())
        let list = StoreCollection((0..<size).map { Record(id: $0, value: 0) }, in: store)
        let token = list.listen { _ in counter.add() }
        defer { token.cancel() }
        var snapshots: [PersistentList<Record>] = []
        var times: [Duration] = []
        for round in 0..<1000 {
            let id = (round &* 7919) % size
            times.append(clock.measure { store.set(Record(id: id, value: round + 1)) })
            if round.isMultiple(of: 100) { snapshots.append(list.elements) }
        }
        let p99 = times.sorted()[times.count * 99 / 100]
        return [
            .median("collection.\(size)", times),
            .row("collection.\(size).p99", p99.microseconds, "us", samples: times.count),
        ]
    }

    /// Changes one model that is in a thousand collections; per collection.
    static func shared() -> Measurement {
        let (store, counter, clock) = (Store(), CallCount(), ContinuousClock())
        let lists = (0..<1000).map { number in
            StoreCollection(
                [Record(id: -1, value: 0)] + (0..<100).map { Record(id: 100 * number + $0, value: 0) },
                in: store
            )
        }
        let tokens = lists.map { $0.listen { _ in counter.add() } }
        defer { withExtendedLifetime((lists, tokens)) {} }
        let times = (0..<20).map { round in clock.measure { store.set(Record(id: -1, value: round + 1)) } }
        return .median("shared.1000", times.map { $0 / 1000 })
    }

    /// Computes the difference between a list and the same one shuffled, with a tenth removed, a tenth added and a
    /// tenth changed.
    static func difference(_ size: Int) -> Measurement {
        let old = (0..<size).map { Record(id: $0, value: 0) }
        let new = old.dropFirst(size / 10).map { Record(id: $0.id, value: $0.id.isMultiple(of: 10) ? 1 : 0) }
        let shuffled = (new + (size..<(size + size / 10)).map { Record(id: $0, value: 0) }).shuffled()
        let clock = ContinuousClock()
        let times = (0..<5).map { _ in clock.measure { _ = ListDifference(from: old, to: shuffled) } }
        return .median("difference.\(size)", times)
    }
}
