import Cofferdam
import CofferdamStore
import CofferdamTesting
import Testing
import TestSupport

/// Checks the defects of the libraries that came before, each in the interleaving that exposes it. "In the same turn"
/// means inside another listener's callback, while earlier deliveries are still pending.
@Suite struct DefectTests {
    private let kept = Kept()
    private var store: Store { kept.store }

    /// Runs `body` during the delivery of the update that sets part 100, before all listeners that are registered
    /// later.
    private func inTheMiddle(_ body: @escaping @Sendable () throws -> Void) -> StoreListenerToken {
        store.listen(Part.self, id: 100) { event in
            guard event.value != nil else { return }
            do { try body() } catch { Issue.record(error) }
        }
    }

    private func list(_ ids: some Sequence<Int>, key: String? = nil) -> CollectionDataProvider<Part> {
        let list = CollectionDataProvider<Part>(key: key, in: kept.cached)
        list.set(parts(ids))
        return list
    }

    // MARK: update x, then append another element in the same turn: the update is lost everywhere

    @Test func `an update is not lost when another element is appended in the same turn`() {
        let (list, other) = (list([1, 2]), list([1]))
        let token = inTheMiddle { [store] in
            store.set(Part(id: 1, value: 5))
            #expect(list[0]?.value == 0, "its delivery is still to come")
            list.append(parts([3]))
        }
        store.set(Part(id: 100, value: 0))
        #expect(list.data.map(\.value) == [5, 0, 0] && other[0]?.value == 5)
        #expect(store.model(Part.self, id: 1)?.value == 5)
        token.cancel()
    }

    // MARK: delete x, then append: x is back

    @Test func `a removed element does not return when another is appended in the same turn`() {
        let (list, log) = (list([1, 2]), ListLog<Part>())
        list.delegate = log
        let token = inTheMiddle { [store] in
            store.remove(Part.self, id: 1)
            list.append(parts([3]))
        }
        store.set(Part(id: 100, value: 0))
        #expect(list.data.map(\.id) == [2, 3] && store.model(Part.self, id: 1) == nil)
        #expect(log.last?.value.elements.map(\.id) == [2, 3] && log.changes == [.reset])
        token.cancel()
    }

    // MARK: listening to an id gives the first value, then nothing

    @Test func `listening to an id before there is a model gives the first value and all later ones`() {
        let (provider, log) = (DataProvider<Part>(id: 1, in: store), DataLog<Part>())
        provider.delegate = log
        for value in 1...3 { store.set(Box(id: value, part: Part(id: 1, value: value))) }
        #expect(log.values.map { $0?.value } == [1, 2, 3])
    }

    // MARK: pause ignored while waiting; a paused shared collection loses an append; a paused provider switched to another id
    // loses updates

    @Test func `a pause holds while there is no model yet`() {
        let (provider, log) = (DataProvider<Part>(id: 1, in: store), DataLog<Part>())
        provider.delegate = log
        provider.pause()
        for value in 1...3 { store.set(Part(id: 1, value: value)) }
        #expect(provider.data == nil && log.values.isEmpty)
        provider.resume()
        #expect(log.values == [Part(id: 1, value: 3)])
    }

    @Test func `a paused shared list loses no append when others are paused or gone`() {
        let (first, second, third) = (list([1], key: "k"), list([1], key: "k"), list([1], key: "k"))
        for list in [first, second] { list.pause() }
        third.append(parts([2]))
        first.append(parts([3]))
        first.resume()
        second.resume()
        #expect([first, second, third].allSatisfy { $0.data.map(\.id) == [1, 2, 3] })
    }

    @Test func `a paused provider that is switched to another id loses no update of it`() {
        let (provider, log) = (DataProvider<Part>(id: 1, in: store), DataLog<Part>())
        store.set(parts([1, 2]))
        provider.delegate = log
        provider.pause()
        store.set(Part(id: 1, value: 8))
        provider.listen(to: 2)
        store.set(Part(id: 2, value: 9))
        provider.resume()
        #expect(provider.data == Part(id: 2, value: 9) && log.values == [Part(id: 2, value: 9)])
    }

    @Test func `a pause that begins while an update is under way loses nothing of it`() {
        store.set(Part(id: 1, value: 0))
        let (provider, log) = (DataProvider<Part>(id: 1, in: store), DataLog<Part>())
        provider.delegate = log
        let token = inTheMiddle { [store] in
            store.set(Part(id: 1, value: 1))
            provider.pause()
        }
        store.set(Part(id: 100, value: 0))
        #expect(provider.data?.value == 0)
        provider.resume()
        #expect(provider.data?.value == 1 && log.values == [Part(id: 1, value: 1)])
        token.cancel()
    }

    // MARK: resume during an update delivers new, then old; a local edit during an update is overwritten

    @Test func `a provider that resumes during an update gets no older value afterwards`() {
        store.set(Part(id: 1, value: 0))
        let (provider, log) = (DataProvider<Part>(id: 1, in: store), DataLog<Part>())
        provider.delegate = log
        provider.pause()
        let token = inTheMiddle { [store] in
            store.set(Part(id: 1, value: 1))
            store.set(Part(id: 1, value: 2))
            provider.resume()
            store.set(Part(id: 1, value: 3))
        }
        store.set(Part(id: 100, value: 0))
        #expect(log.values.map { $0?.value } == [2, 3] && provider.data?.value == 3)
        token.cancel()
    }

    @Test func `a provider's own edit during an update is not overwritten by it, and wins everywhere`() {
        let (provider, other) = (DataProvider<Part>(id: 1, in: store), DataProvider<Part>(id: 1, in: store))
        let log = DataLog<Part>()
        provider.delegate = log
        let token = inTheMiddle { [store] in
            store.set(Part(id: 1, value: 1))
            provider.set(Part(id: 1, value: 2))
            #expect(provider.data?.value == 2)
        }
        store.set(Part(id: 100, value: 0))
        #expect(provider.data?.value == 2 && other.data?.value == 2 && log.values.isEmpty)
        token.cancel()
    }

    @Test func `a provider that is switched during an update is not overwritten by it`() {
        store.set(parts([1, 2]))
        let (provider, log) = (DataProvider<Part>(id: 1, in: store), DataLog<Part>())
        provider.delegate = log
        let token = inTheMiddle { [store] in
            store.set(Part(id: 1, value: 1))
            provider.listen(to: 2)
        }
        store.set(Part(id: 100, value: 0))
        #expect(provider.data == Part(id: 2, value: 0) && log.values.isEmpty)
        token.cancel()
    }

    @Test func `with many writers a provider never shows an older value, and ends with the store's`() async {
        let providers = (0..<4).map { _ in DataProvider<Part>(id: 1, in: kept.store) }
        let logs = providers.map { _ in DataLog<Part>() }
        for (provider, log) in zip(providers, logs) { provider.delegate = log }
        let truth = Log<Int>()
        let token = store.listen(Part.self, id: 1) { event in event.value.map { truth.add($0.value) } }
        await withTaskGroup { group in
            for (writer, provider) in providers.enumerated() {
                group.addTask {
                    for step in 0..<300 { provider.set(Part(id: 1, value: writer * 1000 + step)) }
                }
            }
        }
        await store.delivered()
        let place = Dictionary(uniqueKeysWithValues: truth.entries.enumerated().map { ($1, $0) })
        for (provider, log) in zip(providers, logs) {
            let places = log.values.compactMap { $0.flatMap { place[$0.value] } }
            #expect(places == places.sorted() && provider.data == store.model(id: 1))
        }
        token.cancel()
    }

    // MARK: ids no longer held stay registered

    @Test func `ids that are no longer shown are no longer registered`() {
        let kept = Kept(Store(retention: .observed))
        let (one, list) = (DataProvider<Part>(in: kept.cached), CollectionDataProvider<Part>(in: kept.cached))
        one.set(Part(id: 1, value: 0))
        list.set(parts(10..<200))
        one.set(Part(id: 2, value: 0))
        list.set(parts([10]))
        #expect([1, 50].allSatisfy { kept.store.model(Part.self, id: $0) == nil })
        #expect([2, 10].allSatisfy { kept.store.model(Part.self, id: $0) != nil })
        one.listen(to: nil)
        #expect(kept.store.model(Part.self, id: 2) == nil)
    }

    // MARK: a collection fetch without a key never asks the cache; static append on a cache miss is lost with a nil error; model
    // update and delete never rewrite the cached collections

    @Test func `a list fetch without a key uses the provider's own, and is an error if there is none`() async throws {
        kept.cache["list/part/k"] = "[]"
        #expect(try await CollectionDataProvider<Part>(key: "k", in: kept.cached).fetch() != nil)
        #expect(kept.cache.reads == ["list/part/k"])
        await #expect(throws: CachedStoreError.self) { try await list([]).fetch() }
    }

    @Test func `an append to an unknown list is an error`() async throws {
        await #expect(throws: CachedStoreError.self) {
            try await CollectionDataProvider<Part>.edit("k", in: kept.cached) { $0.append(parts([1])) }
        }
    }

    @Test func `updates and removals of models show in the saved lists that contain them`() async throws {
        _ = list([1, 2, 3], key: "k")
        store.set(Part(id: 1, value: 7))
        store.remove(Part.self, id: 2)
        let list = CollectionDataProvider<Part>(key: "k", in: try await kept.flushed())
        #expect(try await list.fetch().map(Array.init) == [Part(id: 1, value: 7), Part(id: 3, value: 0)])
    }

    // MARK: concurrent cache writes leave a stale final value

    @Test
    func
        `of many writes the last one is saved and read, even if the first still waits`()
        async throws
    {
        let gate = kept.cache.close("model/part/1")
        let provider = DataProvider<Part>(in: kept.cached)
        provider.set(Part(id: 1, value: 1))
        await until { gate.arrivals == 1 }
        for value in 2...9 { provider.set(Part(id: 1, value: value)) }
        gate.open()
        #expect(try await DataProvider<Part>(in: kept.flushed()).fetch(1)?.value == 9)
        #expect(kept.cache.writes.count == 2, "those between are skipped")
    }

    @Test func `with many writers the cache ends with the store's last value`() async throws {
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask { [kept] in
                    for step in 0..<50 {
                        DataProvider(in: kept.cached).set(Part(id: step % 5, value: writer * 100 + step))
                    }
                }
            }
        }
        let cold = try await kept.flushed()
        for id in 0..<5 {
            #expect(try await DataProvider<Part>(in: cold).fetch(id) == store.model(id: id))
        }
    }

    @Test func `a read sees a write that is in progress`() async throws {
        let store = Store(retention: .observed)
        let kept = Kept(store)
        let gate = kept.cache.close("model/part/1")
        do { DataProvider(in: kept.cached).set(Part(id: 1, value: 4)) }
        await until { gate.arrivals == 1 }
        #expect(store.model(Part.self, id: 1) == nil)
        let fetching = Task { try await DataProvider<Part>(in: kept.cached).fetch(1) }
        gate.open()
        #expect(try await fetching.value?.value == 4)
    }

    // MARK: after a delete, re-creation is missed

    @Test func `a model that is set again after its removal is delivered and saved`() async throws {
        let (provider, log) = (DataProvider<Part>(in: kept.cached), DataLog<Part>())
        provider.set(Part(id: 1, value: 1))
        provider.delegate = log
        store.remove(Part.self, id: 1)
        store.set(Part(id: 1, value: 2))
        #expect(log.values == [nil, Part(id: 1, value: 2)])
        #expect(try await DataProvider<Part>(in: kept.flushed()).fetch(1)?.value == 2)
    }

    // MARK: a provider's own change does not notify its own screen, although users need that

    @Test(arguments: [true, false])
    func `a provider's own change notifies its own delegate on request`(_ isWanted: Bool) {
        let (one, list) = (DataProvider<Part>(in: store), list([2]))
        let (oneLog, listLog) = (DataLog<Part>(), ListLog<Part>())
        (one.delegate, list.delegate) = (oneLog, listLog)
        (one.notifiesOfOwnChanges, list.notifiesOfOwnChanges) = (isWanted, isWanted)
        let batchLog = BatchLog()
        let batch = ProviderBatch([one, list], delegate: batchLog)
        one.set(Part(id: 1, value: 1))
        list.append(parts([3]))
        let count = isWanted ? 1 : 0
        #expect(oneLog.values.count == count && listLog.count == count && batchLog.count == 2 * count)
        withExtendedLifetime(batch) {}
    }

    // MARK: no sorting, no filters, no wipe at logout

    @Test func `lists can be sorted and filtered, and everything forgotten at sign-out`() async throws {
        let list = list([3, 1, 2], key: "k")
        let derived = list.filtered { $0.id > 1 }.sorted { $0.id < $1.id }
        #expect(derived.elements.map(\.id) == [2, 3])
        try await kept.cached.removeAll()
        #expect(derived.elements.isEmpty && list.data.isEmpty && kept.cache.entryCount == 0)
    }

    // MARK: `Any` and casts, one namespace for ids and keys

    @Test func `a part, a box and a list can have the same id`() async throws {
        let (part, box) = (DataProvider<Part>(in: kept.cached), DataProvider<Box>(in: kept.cached))
        let list = CollectionDataProvider<Part>(key: "1", in: kept.cached)
        part.set(Part(id: 1, value: 1))
        box.set(Box(id: 1, part: Part(id: 2, value: 2)))
        list.set(parts([3]))
        #expect(part.data?.value == 1 && box.data?.part.value == 2 && list.count == 1)
        let cold = try await kept.flushed()
        #expect(try await DataProvider<Part>(in: cold).fetch(1) == part.data)
        #expect(try await DataProvider<Box>(in: cold).fetch(1) == box.data)
        #expect(try await CollectionDataProvider<Part>(key: "1", in: cold).fetch() == list.data)
    }
}
