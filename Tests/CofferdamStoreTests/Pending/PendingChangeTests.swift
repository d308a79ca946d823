import Cofferdam
import CofferdamState
import CofferdamStore
import CofferdamTesting
import Testing
import TestSupport

@Suite struct PendingChangeTests {
    private let store = Store()
    private let part = Part(id: 1, value: 1)

    private func value(_ id: Int = 1) -> Int? { store.model(Part.self, id: id)?.value }

    private func adding(_ bits: Int, to id: Int = 1) -> OptimisticWrite {
        store.changeOptimistically(Part.self, id: id) { part in
            part.map { Part(id: $0.id, value: $0.value | bits) }
        }
    }

    @Test func `a change shows alone, in lists and inside other models, and goes with a refusal`() {
        let item = Item(id: 1, name: "a", box: Box(id: 1, part: part), part: part, spares: [part])
        store.set(item)
        let (items, parts) = (StoreCollection([item], in: store), StoreCollection([part], in: store))
        let (alone, listed) = (Log<Part?>(), Log<CollectionChange>())
        let tokens = [
            store.listen(Part.self, id: 1) { alone.add($0.value) }, parts.listen { listed.add($0.value.change) },
        ]
        let write = adding(8)
        let changed = Part(id: 1, value: 9)
        let shown = Item(id: 1, name: "a", box: Box(id: 1, part: changed), part: changed, spares: [changed])
        #expect(store.model(id: 1) == shown)
        #expect(Array(items.elements) == [shown] && Array(parts.elements) == [changed])
        #expect(write.rollBack())
        #expect(!write.rollBack() && !write.confirm())
        #expect(store.model(id: 1) == item)
        #expect(Array(items.elements) == [item] && Array(parts.elements) == [part])
        #expect(alone.entries == [part, changed, part])
        #expect(listed.entries == [.reset, .steps([.update(at: 0)]), .steps([.update(at: 0)])])
        withExtendedLifetime(tokens) {}
    }

    @Test func `the first of two is refused, and the second stays`() {
        store.set(part)
        let (first, second) = (adding(2), adding(4))
        #expect(value() == 7)
        first.rollBack()
        #expect(value() == 5)
        second.rollBack()
        #expect(value() == 1)
    }

    @Test func `an answer meanwhile goes below, and a listener hears only what it sees`() {
        store.set(part)
        let log = Log<Int?>()
        let token = store.listen(Part.self, id: 1) { log.add($0.value?.value) }
        let write = adding(8)
        store.update(answering: store.beginLoad()) { $0.set(Part(id: 1, value: 16)) }
        store.set(Part(id: 2, value: 0))
        store.set(Part(id: 1, value: 24))
        write.rollBack()
        #expect(log.entries == [1, 9, 24], "it was 24 with the change, and is so without")
        token.cancel()
    }

    @Test func `a confirmed change stays until an answer about it whose load began later`() {
        store.set([part, Part(id: 2, value: 0)])
        let early = store.beginLoad()
        let write = adding(8)
        #expect(write.confirm())
        store.update(answering: early) { $0.set(Part(id: 1, value: 2)) }
        #expect(value() == 10, "that load began before the confirmation")
        store.set(Part(id: 1, value: 3))
        #expect(value() == 11, "a local change says nothing about the service")
        let late = store.beginLoad()
        store.update(answering: late) { $0.set(Part(id: 2, value: 5)) }
        #expect(value() == 11, "that answer is about another model")
        store.update(answering: late) { $0.set(Box(id: 1, part: Part(id: 1, value: 4))) }
        #expect(value() == 4)
    }

    @Test func `what the service made of a change takes its place, over answers of earlier loads`() {
        store.set(part)
        let write = adding(8)
        let early = store.beginLoad()
        #expect(!Store().confirm(write) { _ in })
        #expect(store.confirm(write) { $0.set(Part(id: 1, value: 32)) })
        #expect(!store.confirm(write) { _ in })
        #expect(value() == 32)
        store.update(answering: early) { $0.set(Part(id: 1, value: 1)) }
        #expect(value() == 32)
        store.update(answering: store.beginLoad()) { $0.set(Part(id: 1, value: 33)) }
        #expect(value() == 33)
    }

    @Test func `a removed model comes back with a refusal, in its places`() throws {
        let list = StoreCollection((0..<200).map { Part(id: $0, value: $0) }, in: store)
        store.set(Item(id: 1, name: "", box: Box(id: 1, part: Part(id: 7, value: 7)), spares: [Part(id: 8, value: 8)]))
        let before = Array(list.elements)
        let log = Log<CollectionChange>()
        let token = list.listen { log.add($0.value.change) }
        let writes = [7, 8].map { id in store.changeOptimistically(Part.self, id: id) { _ in nil } }
        #expect(list.elements.map(\.id) == (0..<200).filter { $0 != 7 && $0 != 8 })
        #expect(store.model(Item.self, id: 1) == nil, "it requires the box, and that requires the part")
        try list.remove(at: 7)
        #expect(list.elements[7].id == 10, "the index is one of the shown elements")
        writes[0].rollBack()
        #expect(store.model(Item.self, id: 1)?.spares.isEmpty == true)
        writes[1].rollBack()
        #expect(Array(list.elements) == before.filter { $0.id != 9 })
        #expect(store.model(Item.self, id: 1)?.spares.map(\.id) == [8])
        #expect(
            log.entries == [
                .reset, .steps([.remove(at: 7)]), .steps([.remove(at: 7)]), .steps([.remove(at: 7)]),
                .steps([.insert(at: 7)]), .steps([.insert(at: 8)]),
            ]
        )
        token.cancel()
    }

    @Test func `pending insertions and removals of a list`() throws {
        let list = StoreCollection([part, Part(id: 2, value: 2)], in: store)
        let inserted = list.insertOptimistically(Part(id: 3, value: 3), at: 0)
        let removed = list.removeOptimistically(id: 1)
        #expect(list.elements.map(\.id) == [3, 2])
        #expect(store.model(Part.self, id: 1) == part, "only the list is without it")
        try list.insert(Part(id: 4, value: 4), at: 2)
        try list.insert(Part(id: 5, value: 5), at: 0)
        #expect(list.elements.map(\.id) == [3, 5, 2, 4])
        #expect(throws: IndexOutOfRange.self) { try list.remove(at: 0) }
        removed.rollBack()
        #expect(list.elements.map(\.id) == [3, 1, 5, 2, 4])
        inserted.confirm()
        let late = store.beginLoad()
        store.update(answering: late) { $0.set(Part(id: 3, value: 30)) }
        #expect(list.elements.first?.value == 30)
        store.update(answering: late) { $0.set([Part(id: 2, value: 2), Part(id: 3, value: 3)], in: list) }
        #expect(list.elements.map(\.id) == [2, 3])
        #expect(list.insertOptimistically(Part(id: 2, value: 9)).rollBack())
        #expect(list.elements.map(\.value) == [2, 3])
    }

    @Test(arguments: [Store.Retention.everything, .observed])
    func `a model that only a pending change made is gone with it`(retention: Store.Retention) {
        let store = Store(retention: retention)
        let list = StoreCollection<Part>(in: store)
        let write = list.insertOptimistically(part)
        #expect(store.model(Part.self, id: 1) == part)
        write.rollBack()
        #expect(store.model(Part.self, id: 1) == nil && list.elements.isEmpty)
    }

    @Test func `what is set as it was shown inside another model says nothing about what is below`() {
        store.set(Box(id: 1, part: part))
        let write = adding(8)
        var box = store.model(Box.self, id: 1)
        box?.size = 5
        if let box { store.set(box) }
        write.rollBack()
        #expect(store.model(id: 1) == Box(id: 1, part: part, size: 5))
    }

    @Test func `an update reads without pending changes`() {
        store.set(part)
        let write = adding(8)
        store.update { update in
            #expect(update.model(Part.self, id: 1) == part)
            update.set(Part(id: 1, value: 2))
        }
        #expect(value() == 10)
        write.rollBack()
        #expect(value() == 2)
    }

    @Test func `signing out drops the pending changes`() {
        store.set(part)
        let write = adding(8)
        store.removeAll()
        store.set(part)
        #expect(value() == 1 && !write.rollBack())
    }

    @Test func `a list that is left while a change of it is pending`() {
        store.set(part)
        let write = adding(8)
        do { _ = StoreCollection([part], in: store) }
        #expect(value() == 9)
        write.rollBack()
        #expect(value() == 1)
    }

    @Test func `a mutation's writes can be of a store`() async throws {
        store.set(part)
        let mutation = Mutation<Int, Int>(
            optimistically: { [store] bits in
                [store.changeOptimistically(Part.self, id: 1) { $0.map { Part(id: 1, value: $0.value | bits) } }]
            },
            confirm: { [store] _, value, writes in
                for write in writes { store.confirm(write) { $0.set(Part(id: 1, value: value)) } }
            },
            perform: { [store] in
                #expect(store.model(Part.self, id: 1)?.value == 3)
                return $0 + 40
            }
        )
        try await mutation.run(2)
        #expect(value() == 42)
    }

    @Test func `what is saved contains no pending change`() async throws {
        let cache = MemoryCache()
        let cached = CachedStore(store, cache: cache) { Issue.record($0) }
        let list = CollectionDataProvider<Part>(key: "list", in: cached)
        list.set([part])
        let writes = [adding(8), adding(16, to: 2)]
        list.append([Part(id: 2, value: 2)])
        #expect(list.data.map(\.value) == [9, 18])
        cached.set(Part(id: 1, value: 3))
        try await cached.written()
        let other = CollectionDataProvider<Part>(in: CachedStore(cache: cache) { Issue.record($0) })
        try await other.fetch(key: "list")
        #expect(other.data.map(\.value) == [3, 2])
        for write in writes { write.rollBack() }
        #expect(list.data.map(\.value) == [3, 2])
    }

    @Test func `a loaded list shows pending changes on top of what it loads and saves`() async throws {
        let storage = ListStorage(MemoryCache())
        let makeList = { (store: Store) in
            StoreList<Part>(in: store, persistence: ListPersistence(storage, key: "parts")) {
                [Part(id: 1, value: 1), Part(id: 2, value: 2)]
            }
        }
        let list = makeList(store)
        try await list.loadable.fetch()
        let writes = [adding(8), list.collection.insertOptimistically(Part(id: 3, value: 3))]
        let ids = { list.loadable.snapshot.contents?.map(\.value) }
        #expect(ids() == [9, 2, 3])
        #expect(try await list.loadable.fetch().map(\.value) == [9, 2, 3])
        store.set(Part(id: 2, value: 5))
        await list.save()
        let other = Store()
        await makeList(other).restore()
        #expect([1, 2, 3].map { other.model(Part.self, id: $0)?.value } == [1, 5, nil])
        for write in writes { write.rollBack() }
        #expect(ids() == [1, 5])
        let late = list.collection.insertOptimistically(Part(id: 4, value: 4))
        try await list.forget()
        #expect(!late.rollBack() && list.collection.elements.isEmpty)
    }
}
