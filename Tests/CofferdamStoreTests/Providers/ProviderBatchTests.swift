import CofferdamStore
import Testing

/// Checks batches of providers.
@Suite struct ProviderBatchTests {
    private let store = Store()
    private let log = BatchLog()

    private func list(_ ids: some Sequence<Int>) -> CollectionDataProvider<Part> {
        let list = CollectionDataProvider<Part>(in: store)
        list.set(parts(ids))
        return list
    }

    private func one(_ id: Int) -> DataProvider<Part> {
        let provider = DataProvider<Part>(in: store)
        provider.set(Part(id: id, value: 0))
        return provider
    }

    @Test func `one of two is affected: its delegate is notified, then the batch, with that one`() {
        let (first, second) = (one(1), list([2, 3]))
        let own = DataLog<Part>()
        first.delegate = own
        let batch = ProviderBatch([first, second], delegate: log)
        store.set(Part(id: 1, value: 1), context: "why")
        #expect(own.values.count == 1)
        #expect(log.changed == [[ObjectIdentifier(first)]] && log.contexts == ["why"])
        store.set(Part(id: 99, value: 1))
        #expect(log.count == 1)
        withExtendedLifetime(batch) {}
    }

    @Test func `both are affected by one model, or by two as one update: one call`() {
        let (first, second) = (one(1), list([1, 2, 3]))
        let batch = ProviderBatch([first, second], delegate: log)
        store.set(Part(id: 1, value: 1))
        #expect(log.changed == [[ObjectIdentifier(first), ObjectIdentifier(second)]])
        #expect(first.lastUpdated == second.lastUpdated)
        store.set([Part(id: 2, value: 2), Part(id: 1, value: 2)])
        #expect(log.changed.last == [ObjectIdentifier(first), ObjectIdentifier(second)] && log.count == 2)
        withExtendedLifetime(batch) {}
    }

    @Test func `an element that came by an update or an insertion and then changes elsewhere notifies`() throws {
        let (first, second) = (list([1]), list([5]))
        let batch = ProviderBatch([first, second], delegate: log)
        try first.replace(at: 0, by: Part(id: 7, value: 0))
        try second.insert(parts([8]), at: 0)
        #expect(log.count == 0)
        store.set(Part(id: 7, value: 1))
        store.set(Part(id: 8, value: 1))
        #expect(log.changed == [[ObjectIdentifier(first)], [ObjectIdentifier(second)]])
        withExtendedLifetime(batch) {}
    }

    @Test func `changes in a pause of the batch notify in one call`() {
        let (first, second) = (one(1), list([2]))
        let batch = ProviderBatch([first, second], delegate: log)
        batch.pause()
        #expect(batch.isPaused && first.isPaused && second.isPaused)
        store.set(Part(id: 1, value: 1), context: "first")
        store.set(Part(id: 2, value: 1), context: "second")
        #expect(log.count == 0)
        batch.resume()
        #expect(log.changed == [[ObjectIdentifier(first), ObjectIdentifier(second)]] && log.contexts == ["second"])
        #expect(!batch.isPaused && first.data?.value == 1)
    }

    @Test func `a released batch is not notified, and a provider can be in two`() {
        let first = one(1)
        let other = BatchLog()
        let batch = ProviderBatch([first], delegate: log)
        do { _ = ProviderBatch([first], delegate: other) }
        store.set(Part(id: 1, value: 1))
        let second = ProviderBatch([first], delegate: other)
        store.set(Part(id: 1, value: 2))
        #expect(log.count == 2 && other.count == 1)
        withExtendedLifetime((batch, second)) {}
    }
}
