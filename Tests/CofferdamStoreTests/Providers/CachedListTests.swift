import CofferdamStore
import CofferdamTesting
import Foundation
import Testing
import TestSupport

/// Checks what lists read from the cache and write to it.
@Suite struct CachedListTests {
    private let kept = Kept()
    private let key = "list/part/k"
    private var cache: SpyCache { kept.cache }

    private func provider(_ key: String? = "k", in store: CachedStore? = nil) -> CollectionDataProvider<Part> {
        CollectionDataProvider(key: key, in: store ?? kept.cached)
    }

    private func keep(_ ids: [Int]) {
        cache[key] = "\(ids)"
        cache["lists/part"] = #"["k"]"#
        for id in ids { cache["model/part/\(id)"] = #"{"id":\#(id),"value":0}"# }
    }

    private func keptIDs() async throws -> [Int]? {
        try await provider(in: kept.flushed()).fetch()?.map(\.id)
    }

    @Test func `a list with a key is written as its ids, and each of its models separately`() async throws {
        provider(nil).set(parts([9]))
        provider().set(parts([2, 1]))
        try await kept.cached.written()
        #expect(cache.writes == ["model/part/2", "model/part/1", key, "lists/part"])
        #expect(cache[key] == "[2,1]")
        provider().set(parts([5]), updatesCache: false)
        try await kept.cached.written()
        #expect(cache[key] == "[2,1]")
    }

    @Test func `a change of one model rewrites that model alone`() async throws {
        provider().set(parts(0..<100))
        try await kept.cached.written()
        cache.forgetCalls()
        kept.store.set(Part(id: 50, value: 1))
        try await kept.cached.written()
        #expect(cache.writes == ["model/part/50"])
    }

    @Test func `a saved list is fetched and shown, and not read again`() async throws {
        keep([3, 1])
        let provider = provider(nil)
        #expect(try await provider.fetch(key: "k")?.map(\.id) == [3, 1])
        #expect(provider.key == "k" && provider.data.map(\.id) == [3, 1])
        let reads = cache.reads.count
        try await provider.fetch()
        #expect(cache.reads.count == reads)
        kept.store.set(Part(id: 1, value: 1))
        #expect(provider[1]?.value == 1, "it is followed")
    }

    @Test func `the store's model is newer than the saved one`() async throws {
        keep([3, 1])
        kept.store.set(Part(id: 1, value: 8))
        #expect(try await provider().fetch()?.map(\.value) == [0, 8])
    }

    @Test func `the cache's error is passed on and changes nothing, and the next fetch asks again`() async throws {
        keep([1])
        let provider = provider()
        cache.breaks(key)
        await #expect(throws: SpyCache.Broken(key: key)) { try await provider.fetch() }
        #expect(provider.data.isEmpty)
        cache.breaks(key, false)
        #expect(try await provider.fetch()?.count == 1)
    }

    @Test func `a list that was set is not fetched, even an empty one, and a fetch without a key is an error`()
        async throws
    {
        keep([1])
        let provider = provider()
        provider.set(parts([2]), updatesCache: false)
        #expect(try await provider.fetch()?.map(\.id) == [2])
        provider.set([], updatesCache: false)
        #expect(try await provider.fetch()?.map(\.id) == [])
        #expect(!cache.reads.contains(key))
        let error = await #expect(throws: CachedStoreError.self) { try await self.provider(nil).fetch() }
        #expect(error?.code == .noKey)
    }

    @Test func `a list that is not saved, or lacks a model, is a miss that changes nothing`() async throws {
        #expect(try await provider().fetch() == nil)
        keep([1, 2])
        cache["model/part/2"] = nil
        let provider = provider(nil)
        provider.set(parts([7]))
        #expect(try await provider.fetch(key: "k") == nil)
        #expect(provider.data.map(\.id) == [7] && provider.key == nil)
    }

    @Test func `a list that another provider sets during a cache read wins, and the key comes with it`()
        async throws
    {
        keep([1])
        let (provider, sibling, gate) = (provider(nil), provider(), cache.close(key))
        let fetching = Task { try await provider.fetch(key: "k") }
        await until { gate.arrivals == 1 }
        sibling.set(parts([4, 5]), updatesCache: false)
        #expect(provider.key == nil && provider.data.isEmpty)
        gate.open()
        #expect(try await fetching.value?.map(\.id) == [4, 5])
        #expect(provider.key == "k" && provider.data == sibling.data)
    }

    @Test func `a list that was changed and released during a cache read is read again`() async throws {
        keep([1])
        let (provider, gate) = (provider(nil), cache.close("model/part/1"))
        let fetching = Task { try await provider.fetch(key: "k") }
        await until { gate.arrivals == 1 }
        do { self.provider().set(parts([4, 5])) }
        gate.open()
        #expect(try await fetching.value?.map(\.id) == [4, 5])
    }

    @Test func `a removed model leaves all saved lists, even unread ones, and does not come back`()
        async throws
    {
        keep([1, 2, 3])
        let cold = kept.reopened()
        cold.remove(Part.self, id: 2)
        cold.set(Part(id: 2, value: 9))
        try await cold.written()
        #expect(cache[key] == "[1,3]")
        #expect(try await keptIDs() == [1, 3])
    }

    @Test(arguments: [false, true])
    func `a renamed model has its new id in the saved lists, also in unread ones`(isKnown: Bool) async throws {
        keep([1, -1, 3])
        cache["list/part/other"] = "[-1]"
        cache["lists/part"] = #"["k","other"]"#
        try await provider().fetch()
        if isKnown { kept.cached.set(Part(id: 3, value: 9)) }
        let id = isKnown ? 3 : 42
        kept.store.rename(Part.self, from: -1, to: id)
        try await kept.cached.written()
        #expect(cache[key] == (isKnown ? "[1,3]" : "[1,42,3]"))
        #expect(cache["list/part/other"] == "[\(id)]")
        #expect(cache["model/part/-1"]?.isEmpty ?? true)
        kept.store.set(Part(id: id, value: 7))
        #expect(try await keptIDs() == (isKnown ? [1, 3] : [1, 42, 3]))
        #expect(cache["model/part/\(id)"]?.contains(#""value":7"#) ?? false)
    }

    @Test func `a model that is removed while its list is read is not in it`() async throws {
        keep([1, 2])
        let (provider, gate) = (provider(), cache.close("model/part/1"))
        let fetching = Task { try await provider.fetch() }
        await until { gate.arrivals == 1 }
        kept.cached.remove(Part.self, id: 2)
        gate.open()
        #expect(try await fetching.value?.map(\.id) == [1])
    }

    @Test func `a model that is removed while its list is read does not come back, however slow the listeners`()
        async throws
    {
        do { provider().set(parts([1, 2])) }
        try await kept.cached.written()
        let (list, gate) = (provider(), cache.close("model/part/1"))
        let fetching = Task { try await list.fetch() }
        await until { gate.arrivals == 1 }
        let (notified, isRead) = (Log<Bool>(), DispatchSemaphore(value: 0))
        let token = kept.store.listen(Part.self, id: 2) { event in
            guard event.value == nil else { return }
            notified.add(true)
            isRead.wait()
        }
        async let removal: Void = onOwnThread { [store = kept.store] in store.remove(Part.self, id: 2) }
        await until { notified.entries.count == 1 }
        gate.open()
        let shown = await fetching.result
        isRead.signal()
        await removal
        #expect(try shown.get()?.map(\.id) == [1])
        #expect(kept.store.model(Part.self, id: 2) == nil)
        #expect(try await keptIDs() == [1])
        token.cancel()
    }

    @Test func `a model that is saved while its list is read is shown as saved, without other providers`()
        async throws
    {
        let kept = Kept(Store(retention: .observed))
        kept.cache[key] = "[1,2]"
        for id in 1...2 { kept.cache["model/part/\(id)"] = #"{"id":\#(id),"value":0}"# }
        let (provider, gate) = (provider(in: kept.cached), kept.cache.close("model/part/1"))
        let fetching = Task { try await provider.fetch() }
        await until { gate.arrivals == 1 }
        kept.cached.set(Part(id: 1, value: 9))
        #expect(kept.store.model(Part.self, id: 1) == nil)
        gate.open()
        #expect(try await fetching.value?.map(\.value) == [9, 0])
    }

    @Test func `a list is not read again because of models that the store has, however often they change`()
        async throws
    {
        keep([1, 2])
        let (provider, gate) = (provider(), cache.close("model/part/1"))
        let fetching = Task { try await provider.fetch() }
        await until { gate.arrivals == 1 }
        kept.cached.set(Part(id: 1, value: 9))
        gate.open()
        #expect(try await fetching.value?.map(\.value) == [9, 0])
        #expect(cache.reads.filter { $0 == key }.count == 1)
    }

    @Test func `a change of a list that is neither shown nor saved is an error, and nothing is written`() async throws {
        let error = await #expect(throws: CachedStoreError.self) {
            try await CollectionDataProvider<Part>.edit("k", in: kept.cached) { $0.append(parts([1])) }
        }
        #expect(error?.code == .unknownList && error?.subject == key)
        #expect(cache.writes.isEmpty)
        try await CollectionDataProvider<Part>.set(parts([1]), key: "k", in: kept.cached)
        try await CollectionDataProvider<Part>.edit("k", in: kept.cached) { $0.append(parts([2])) }
        #expect(try await keptIDs() == [1, 2])
    }

    @Test func `many changes of a list without providers are all saved`() async throws {
        try await CollectionDataProvider<Part>.set([], key: "k", in: kept.cached)
        try await withThrowingTaskGroup { [kept] group in
            for id in 0..<50 {
                group.addTask {
                    try await CollectionDataProvider<Part>.edit("k", in: kept.cached) { $0.append(parts([id])) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await keptIDs().map(Set.init) == Set(0..<50))
    }

    @Test func `a failed write is reported and thrown to a waiting caller`() async throws {
        cache.breaks("model/part/1")
        provider().set(parts([1, 2]))
        await #expect(throws: SpyCache.Broken(key: "model/part/1")) { try await kept.cached.written() }
        #expect(kept.failures.entries as? [SpyCache.Broken] == [.init(key: "model/part/1")])
        #expect(cache["model/part/2"] != nil)
        try await kept.cached.written()
    }

    @Test func `an earlier write failure is thrown to the next waiting caller, once, and not to readers`()
        async throws
    {
        cache.breaks("model/part/1")
        provider().set(parts([1, 2]))
        await until { kept.failures.entries.count == 1 }
        _ = try await DataProvider<Part>(in: kept.cached).fetch(3)
        await #expect(throws: SpyCache.Broken(key: "model/part/1")) { try await kept.cached.written() }
        try await kept.cached.written()
        provider().set(parts([1]))
        await until { kept.failures.entries.count == 2 }
        try await kept.cached.removeAll()
    }

    @Test func `a read that was in progress when everything was removed shows nothing`() async throws {
        keep([1])
        let (list, one, gate) = (provider(), DataProvider<Part>(in: kept.cached), cache.close("model/part/1"))
        let fetches = (Task { try await list.fetch() }, Task { try await one.fetch(1) })
        await until { gate.arrivals == 2 }
        try await kept.cached.removeAll()
        gate.open()
        #expect(try await fetches.0.value == nil && list.data.isEmpty)
        #expect(try await fetches.1.value == nil && one.data == nil)
    }

    @Test func `everything is removed at once: store, providers, cache and reads in progress`() async throws {
        keep([1, 2])
        let (list, one, fetching) = (provider("other"), DataProvider<Part>(in: kept.cached), provider())
        list.set(parts([7, 8]))
        one.set(Part(id: 7, value: 7))
        try await kept.cached.written()
        let (reading, writing) = (cache.close("model/part/1"), cache.close("model/part/7"))
        let fetch = Task { try await fetching.fetch() }
        await until { reading.arrivals == 1 }
        list.set([Part(id: 7, value: 1), Part(id: 9, value: 1)])
        await until { writing.arrivals == 1 }
        let log = ListLog<Part>()
        list.delegate = log
        let removal = Task { [kept] in try await kept.cached.removeAll(context: "bye") }
        await until { log.count == 1 }
        #expect(list.data.isEmpty && one.data == nil && log.contexts == ["bye"])
        for gate in [reading, writing] { gate.open() }
        try await removal.value
        #expect(try await fetch.value == nil && fetching.data.isEmpty)
        #expect(cache.entryCount == 0)
        one.set(Part(id: 7, value: 0))
        #expect(try await provider("other").fetch() == nil, "an empty list of before is not known now")
    }
}
