import Cofferdam
import CofferdamState
import CofferdamStore
import Observation
import Testing
import TestSupport

@MainActor
@Suite struct StoreObservedTests {
    private func parts(_ values: Int...) -> [Part] { values.enumerated().map { Part(id: $0, value: $1) } }

    @Test func `Observation notifies the readers of a provider, a list and a derived list`() async {
        let store = Store()
        let (provider, list) = (DataProvider<Part>(id: 0, in: store), CollectionDataProvider<Part>(in: store))
        list.set(parts(1, 2))
        let (one, all) = (Observed(provider), Observed(list))
        let big = Observed(list.filtered { $0.value > 3 })
        let log = Log<String>()
        func read() {
            withObservationTracking {
                _ = one.value
            } onChange: {
                log.add("one")
            }
            withObservationTracking {
                _ = all.value
            } onChange: {
                log.add("list")
            }
            withObservationTracking {
                _ = big.value
            } onChange: {
                log.add("derived")
            }
        }
        read()
        store.set(Part(id: 0, value: 2))
        await drainMainActor()
        #expect(log.entries.sorted() == ["list", "one"])
        #expect(one.value?.value == 2 && all.value.map(\.value) == [2, 2] && big.value.isEmpty)
        read()
        store.set(Part(id: 1, value: 4))
        await drainMainActor()
        #expect(log.entries.sorted() == ["derived", "derived", "list", "list", "one"])
        #expect(big.value.map(\.value) == [4])
    }

    @Test func `a provider's own change and a switch to another model are drawn`() async {
        let store = Store()
        let provider = DataProvider<Part>(in: store)
        let observed = Observed(provider)
        #expect(observed.value == nil)
        provider.set(Part(id: 1, value: 1))
        await drainMainActor()
        #expect(observed.value == Part(id: 1, value: 1))
        provider.listen(to: 2)
        await drainMainActor()
        #expect(observed.value == nil)
    }

    @Test func `a list in a store and one that is loaded follow a change made elsewhere`() async throws {
        let store = Store()
        let list = StoreList<Part>(in: store) { [Part(id: 1, value: 1)] }
        let (loaded, stored) = (Observed(list), Observed(list.collection))
        #expect(loaded.value.contents == nil && stored.value.isEmpty)
        try await list.loadable.fetch()
        await drainMainActor()
        #expect(loaded.value.contents == [Part(id: 1, value: 1)] && stored.value.map(\.value) == [1])
        store.set(Part(id: 1, value: 7))
        await drainMainActor()
        #expect(loaded.value.contents == [Part(id: 1, value: 7)] && stored.value.map(\.value) == [7])
    }

    @Test func `what is observed lives as long as its observer, and no longer`() async {
        let store = Store()
        weak var provider: DataProvider<Part>?
        weak var list: CollectionDataProvider<Part>?
        weak var loaded: StoreList<Part>?
        do {
            let observed = {
                let (one, many) = (DataProvider<Part>(id: 1, in: store), CollectionDataProvider<Part>(in: store))
                let whole = StoreList<Part>(in: store) { [] }
                (provider, list, loaded) = (one, many, whole)
                return (Observed(one), Observed(many), Observed(whole))
            }()
            #expect(provider != nil && list != nil && loaded != nil)
            store.set(Part(id: 1, value: 1))
            withExtendedLifetime(observed) {}
        }
        #expect(provider == nil && list == nil && loaded == nil)
        await drainMainActor()
    }
}
