import CofferdamStore
import CofferdamTesting
import Testing
import TestSupport

/// Empties its provider when it is notified of a change.
private final class Leaver: DataProviderDelegate {
    func dataProvider(_ provider: DataProvider<Part>, changed event: StoreEvent<Part?>) { provider.listen(to: nil) }
}

/// Checks what a provider of one model reads from the cache and writes to it.
@Suite struct CachedModelTests {
    private let kept = Kept()
    private let key = "model/part/1"
    private let json = #"{"id":1,"value":7}"#
    private var cache: SpyCache { kept.cache }

    private func provider(_ id: Int? = nil) -> DataProvider<Part> { DataProvider(id: id, in: kept.cached) }

    @Test func `a set model is written once under its id, or on request not at all`() async throws {
        provider().set(Part(id: 2, value: 0), updatesCache: false)
        provider().set(Part(id: 1, value: 7))
        try await kept.cached.written()
        #expect(cache.writes == [key] && kept.failures.entries.isEmpty)
        #expect(try await DataProvider<Part>(in: kept.reopened()).fetch(1) == Part(id: 1, value: 7))
    }

    @Test func `a saved model is fetched, shown and followed, without notifying the provider's own delegate`()
        async throws
    {
        cache[key] = json
        let (provider, log) = (provider(), DataLog<Part>())
        provider.delegate = log
        #expect(try await provider.fetch(1) == Part(id: 1, value: 7))
        #expect(provider.data?.value == 7 && log.values.isEmpty)
        kept.store.set(Part(id: 1, value: 8))
        #expect(log.values == [Part(id: 1, value: 8)])
        #expect(try await provider.fetch(1)?.value == 8 && cache.reads == [key])
    }

    @Test func `other listeners of the id are notified of the fetched model, with its context`() async throws {
        cache[key] = json
        let (other, log) = (provider(1), DataLog<Part>())
        other.delegate = log
        try await provider().fetch(1, context: "fetched")
        #expect(log.contexts == ["fetched"] && other.data?.value == 7)
    }

    @Test func `the cache's error is passed on and changes nothing, and the next fetch asks again`() async throws {
        let provider = provider()
        provider.set(Part(id: 2, value: 2), updatesCache: false)
        cache.breaks(key)
        await #expect(throws: SpyCache.Broken(key: key)) { try await provider.fetch(1) }
        #expect(provider.data?.id == 2 && provider.modelIdentifier == 2)
        cache.breaks(key, false)
        cache[key] = json
        #expect(try await provider.fetch(1)?.value == 7 && cache.reads == [key, key])
    }

    @Test(arguments: ["no JSON", "[1]", #"{"id":"1"}"#])
    func `an entry that cannot be decoded is an error that names it`(_ entry: String) async throws {
        cache[key] = entry
        let error = await #expect(throws: CachedStoreError.self) { try await provider().fetch(1) }
        #expect(error?.code == .unreadable && error?.subject == key)
    }

    @Test func `a model that is shown or in the store is not read from the cache`() async throws {
        cache[key] = json
        let provider = provider()
        provider.set(Part(id: 1, value: 1))
        #expect(try await provider.fetch(1)?.value == 1)
        kept.store.set(Part(id: 3, value: 3))
        #expect(try await provider.fetch(3)?.value == 3)
        #expect(cache.reads.isEmpty && provider.modelIdentifier == 3)
    }

    @Test func `a fetch without an id uses the followed one, and is an error if there is none`() async throws {
        cache[key] = json
        #expect(try await provider(1).fetch()?.value == 7)
        let error = await #expect(throws: CachedStoreError.self) { try await provider().fetch() }
        #expect(error?.code == .noKey)
    }

    @Test func `a miss changes nothing, unless the id is to be listened to`() async throws {
        let provider = provider()
        provider.set(Part(id: 2, value: 2))
        #expect(try await provider.fetch(1) == nil)
        #expect(provider.data?.id == 2 && provider.modelIdentifier == 2)
        #expect(try await provider.fetch(1, listensOnMiss: true) == nil)
        #expect(provider.data == nil && provider.modelIdentifier == 1)
        kept.store.set(Part(id: 1, value: 4))
        #expect(provider.data?.value == 4)
    }

    @Test(arguments: [true, false])
    func `a model that is set during a cache read stays`(_ isOwn: Bool) async throws {
        cache[key] = json
        let (provider, gate) = (provider(), cache.close(key))
        let fetching = Task { try await provider.fetch(1) }
        await until { gate.arrivals == 1 }
        let expected = Part(id: isOwn ? 2 : 1, value: 9)
        if isOwn { provider.set(expected, updatesCache: false) } else { kept.store.set(expected) }
        gate.open()
        #expect(try await fetching.value == expected && provider.data == expected)
    }

    @Test func `of two fetches the last one requested is shown, in whatever order they finish`() async throws {
        cache[key] = json
        cache["model/part/2"] = #"{"id":2,"value":2}"#
        let (provider, gate) = (provider(), cache.close(key))
        let first = Task { try await provider.fetch(1) }
        await until { gate.arrivals == 1 }
        #expect(try await provider.fetch(2)?.id == 2)
        gate.open()
        #expect(try await first.value?.id == 2 && provider.data?.id == 2)
    }

    @Test func `a fetch whose task is cancelled shows nothing`() async throws {
        cache[key] = json
        let (provider, gate) = (provider(), cache.close(key))
        let fetching = Task { try await provider.fetch(1) }
        await until { gate.arrivals == 1 }
        fetching.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await fetching.value }
        #expect(provider.data == nil)
    }

    @Test func `models are set with the cache, without it, and from any task, as one update each`() async throws {
        let log = DataLog<Part>()
        let provider = provider(1)
        provider.delegate = log
        kept.cached.set([Part(id: 1, value: 1), Part(id: 2, value: 2)], context: "two")
        kept.cached.set(Part(id: 3, value: 3), updatesCache: false)
        await Task.detached { [kept] in kept.cached.set(Part(id: 1, value: 4)) }.value
        try await kept.cached.written()
        #expect(log.contexts == ["two", nil] && provider.data?.value == 4)
        #expect(Set(cache.writes) == [key, "model/part/2"] && kept.store.model(Part.self, id: 3) != nil)
    }

    @Test func `the cache follows the store, and a removed model is gone`() async throws {
        provider().set(Part(id: 1, value: 1))
        kept.store.set(Part(id: 1, value: 2))
        #expect(try await DataProvider<Part>(in: kept.flushed()).fetch(1)?.value == 2)
        kept.store.remove(Part.self, id: 1)
        #expect(try await DataProvider<Part>(in: kept.flushed()).fetch(1) == nil)
        kept.store.set(Part(id: 1, value: 3))
        #expect(try await DataProvider<Part>(in: kept.flushed()).fetch(1)?.value == 3)
        kept.cached.remove(Part.self, id: 1, context: "why")
        #expect(try await DataProvider<Part>(in: kept.flushed()).fetch(1) == nil)
    }

    @Test(arguments: [true, false])
    func `a model without providers is followed too, whether released before the change or by its delegate`(
        _ isLetGoBefore: Bool
    ) async throws {
        let kept = Kept(Store(retention: .observed))
        let (provider, leaver) = (DataProvider<Part>(in: kept.cached), Leaver())
        provider.set(Part(id: 1, value: 1))
        if isLetGoBefore { provider.listen(to: nil) } else { provider.delegate = leaver }
        kept.store.set(Part(id: 1, value: 2))
        #expect(provider.modelIdentifier == nil && kept.store.model(Part.self, id: 1) == nil)
        #expect(try await DataProvider(in: kept.flushed()).fetch(1) == Part(id: 1, value: 2))
    }

    @Test func `a child that is saved while its parent is read is shown as saved, without other providers`()
        async throws
    {
        let kept = Kept(Store(retention: .observed))
        kept.cache["model/box/1"] = #"{"id":1,"part":{"id":2,"value":0},"size":0}"#
        kept.cache["model/part/2"] = #"{"id":2,"value":1}"#
        let gate = kept.cache.close("model/part/2")
        let fetching = Task { try await DataProvider<Box>(in: kept.cached).fetch(1) }
        await until { gate.arrivals == 1 }
        kept.cached.set(Part(id: 2, value: 9))
        gate.open()
        #expect(try await fetching.value?.part.value == 9)
    }

    @Test func `changes by another projection are followed, even by its first value`() async throws {
        kept.cached.set(Animal(id: 1, name: "a", legs: 4))
        kept.store.set(Card(id: 1, name: "b"))
        #expect(try await DataProvider(in: kept.flushed()).fetch(1) == Animal(id: 1, name: "b", legs: 4))
    }

    @Test func `a change of another projection removes no saved model that the store has dropped`()
        async throws
    {
        let kept = Kept(Store(retention: .observed))
        let animal = Animal(id: 1, name: "a", legs: 4)
        kept.cached.set(animal)
        let card = DataProvider<Card>(id: 1, in: kept.store)
        for name in ["b", "c"] { kept.store.set(Card(id: 1, name: name)) }
        #expect(card.data?.name == "c")
        #expect(try await DataProvider(in: kept.flushed()).fetch(1) == animal)
    }

    @Test func `a model that was read is not written again`() async throws {
        cache[key] = json
        let (one, list) = (DataProvider<Part>(in: kept.cached), CollectionDataProvider<Part>(in: kept.cached))
        try await one.fetch(1)
        cache["model/part/2"] = #"{"id":2,"value":0}"#
        cache["list/part/k"] = "[1,2]"
        #expect(try await list.fetch(key: "k")?.count == 2)
        try await kept.cached.written()
        #expect(cache.writes.isEmpty)
        kept.store.set([Part(id: 1, value: 8), Part(id: 2, value: 8)])
        try await kept.cached.written()
        #expect(Set(cache.writes) == [key, "model/part/2"])
    }

    @Test(arguments: [true, false])
    func
        `what an earlier life has kept of a child, or that it was removed, counts less than a parent that is set later`(
            _ wasRemoved: Bool
        ) async throws
    {
        DataProvider<Part>(in: kept.cached).set(Part(id: 1, value: 5))
        if wasRemoved { kept.cached.remove(Part.self, id: 1) }
        let second = try await kept.flushed()
        let box = Box(id: 1, part: Part(id: 1, value: 6))
        let item = Item(id: 1, name: "a", box: box, part: Part(id: 2, value: 0))
        DataProvider<Item>(in: second).set(item)
        try await second.written()
        #expect(try await DataProvider<Item>(in: kept.reopened()).fetch(1) == item)
        #expect(try await DataProvider<Part>(in: kept.reopened()).fetch(1)?.value == 6)
        #expect(cache["model/part/2"] == nil && cache["model/box/1"] == nil, "what was not kept by itself is not")
        cache.forgetCalls()
        second.set(Item(id: 1, name: "b", box: box))
        try await second.written()
        #expect(cache.writes == ["model/item/1"], "what is kept as it is is not written again")
    }

    @Test func `a child that is set or removed after its parent is saved, without a provider of the parent`()
        async throws
    {
        let kept = Kept(Store(retention: .observed))
        kept.cached.set(Part(id: 1, value: 1))
        kept.cached.set(Part(id: 2, value: 1))
        try await kept.cached.written()
        // Later writes wait behind this one.
        let gate = kept.cache.close("model/part/0")
        kept.cached.set(Part(id: 0, value: 0))
        await until { gate.arrivals == 1 }
        let spares = parts([1, 2], value: 2)
        for part in spares { kept.cached.set(part) }
        // Together with these, the writes fill one batch.
        kept.cached.set(parts(1000..<1254))
        kept.cached.set(Item(id: 1, name: "a", box: Box(id: 1, part: Part(id: 9, value: 0)), spares: spares))
        kept.cached.set(Part(id: 1, value: 3))
        kept.cached.remove(Part.self, id: 2)
        gate.open()
        let cold = try await kept.flushed()
        #expect(try await DataProvider<Part>(in: cold).fetch(1)?.value == 3)
        #expect(try await DataProvider<Part>(in: cold).fetch(2) == nil)
        #expect(try await DataProvider<Item>(in: kept.reopened()).fetch(1)?.spares == [Part(id: 1, value: 3)])
    }

    @Test func `a child's own saved entry counts, not the copy in its saved parent`() async throws {
        let item = Item(
            id: 1,
            name: "a",
            box: Box(id: 1, part: Part(id: 1, value: 0)),
            part: Part(id: 2, value: 0),
            spares: parts([3])
        )
        DataProvider<Item>(in: kept.cached).set(item)
        // In the next launches no provider shows the item while its parts change.
        let second = try await kept.flushed()
        DataProvider<Part>(in: second).set(Part(id: 1, value: 5))
        second.remove(Part.self, id: 2)
        try await second.written()
        var expected = item
        expected.box.part.value = 5
        expected.part = nil
        #expect(try await DataProvider<Item>(in: kept.reopened()).fetch(1) == expected)
        second.remove(Part.self, id: 1)
        try await second.written()
        #expect(
            try await DataProvider<Item>(in: kept.reopened()).fetch(1) == nil,
            "it cannot be without its box's part"
        )
    }
}
