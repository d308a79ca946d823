import Cofferdam
import CofferdamState
import CofferdamStore
import Testing

/// Checks one list: its changes, its indices and ids, and its notifications.
@Suite struct CollectionDataProviderTests {
    private let store = Store()
    private let log = ListLog<Part>()

    private func provider(_ ids: some Sequence<Int>, key: String? = nil) -> CollectionDataProvider<Part> {
        let provider = CollectionDataProvider<Part>(key: key, in: store)
        provider.set(parts(ids))
        provider.delegate = log
        return provider
    }

    @Test func `its list, elements and count are those that were set`() {
        let provider = CollectionDataProvider<Part>(in: store)
        #expect(provider.data.isEmpty && provider.count == 0 && provider[0] == nil)
        provider.set(parts([3, 4]))
        #expect(Array(provider.data) == parts([3, 4]) && provider.count == 2)
        #expect(provider[1]?.id == 4 && provider[2] == nil && provider[-1] == nil)
    }

    @Test func `each change is shown at once and notifies only others`() throws {
        let provider = provider([1, 2])
        try provider.insert(parts([8, 9]), at: 1)
        provider.append(parts([5, 6]))
        try provider.replace(at: 0, by: Part(id: 7, value: 7))
        try provider.remove(at: 1)
        #expect(provider.data.map(\.id) == [7, 9, 2, 5, 6])
        try provider.update(Part(id: 9, value: 4))
        try provider.remove(id: 5)
        #expect(provider.data.map(\.value) == [7, 4, 0, 0])
        #expect(log.count == 0 && store.model(Part.self, id: 5) != nil)
    }

    @Test(arguments: [-1, 2, .max])
    func `an index out of range is an error, and changes nothing`(_ index: Int) {
        let provider = provider([1, 2])
        let error = IndexOutOfRange(index: index, count: 2)
        #expect(throws: error) { try provider.replace(at: index, by: Part(id: 9, value: 9)) }
        #expect(throws: error) { try provider.remove(at: index) }
        if index != 2 { #expect(throws: error) { try provider.insert(parts([9]), at: index) } }
        #expect(provider.data.map(\.id) == [1, 2])
    }

    @Test func `an unknown id is an error, and sets nothing`() {
        let provider = provider([1, 2])
        store.set(Part(id: 3, value: 3))
        for id in [3, 4] {
            #expect(throws: CachedStoreError.self) { try provider.update(Part(id: id, value: 9)) }
            #expect(throws: CachedStoreError.self) { try provider.remove(id: id) }
        }
        #expect(provider.data.map(\.id) == [1, 2] && store.model(Part.self, id: 3)?.value == 3)
    }

    @Test func `an id is found in a long list, as often as it occurs`() throws {
        let provider = provider(Array(0..<1000) + [500, 3])
        try provider.update(Part(id: 500, value: 1))
        #expect(provider.data.filter { $0.value == 1 }.count == 2)
        try provider.remove(id: 3)
        #expect(provider.count == 1000 && !provider.data.contains { $0.id == 3 })
    }

    @Test func `an element that changes elsewhere is updated here, with the context`() {
        let (first, second) = (provider([1, 2, 3]), CollectionDataProvider<Part>(in: store))
        second.set([Part(id: 2, value: 5), Part(id: 9, value: 0)], context: "why")
        #expect(first.data.map(\.value) == [0, 5, 0])
        #expect(log.changes == [.steps([.update(at: 1)])] && log.contexts == ["why"])
        second.set([Part(id: 2, value: 5)])
        #expect(log.count == 1, "an equal one does not notify")
    }

    @Test func `an element that is removed from the store is removed here`() {
        let provider = provider([1, 2, 3])
        store.remove(Part.self, id: 2)
        #expect(provider.data.map(\.id) == [1, 3] && log.changes == [.steps([.remove(at: 1)])])
    }

    @Test func `several changes and several removals notify once each, with steps that can be applied`() {
        let provider = provider([1, 2, 3, 4])
        store.set([Part(id: 1, value: 1), Part(id: 3, value: 1)])
        store.update { update in
            update.remove(Part.self, id: 2)
            update.remove(Part.self, id: 4)
        }
        #expect(provider.data.map(\.id) == [1, 3] && log.count == 2)
        #expect(Set(log.changes[0].allSteps) == [.update(at: 0), .update(at: 2)])
        var ids = [1, 2, 3, 4]
        for case .remove(let index) in log.changes[1].allSteps { ids.remove(at: index) }
        #expect(ids == [1, 3])
    }

    @Test func `a child's change and removal, and the removal of a required child, show in the row`() {
        let list = CollectionDataProvider<Item>(in: store)
        let itemLog = ListLog<Item>()
        list.set(
            [1, 2].map {
                Item(id: $0, name: "", box: Box(id: $0, part: Part(id: $0, value: 0)), part: Part(id: 9, value: 0))
            }
        )
        list.delegate = itemLog
        store.set(Part(id: 2, value: 5))
        #expect(list[1]?.box.part.value == 5)
        store.remove(Part.self, id: 9)
        #expect(list.data.allSatisfy { $0.part == nil })
        store.remove(Part.self, id: 1)
        #expect(list.data.map(\.id) == [2])
        #expect(itemLog.changes.first == .steps([.update(at: 1)]) && itemLog.changes.last == .steps([.remove(at: 0)]))
    }

    /// The ways to add a new element.
    enum Entry: CaseIterable { case insert, append, replace }

    private func enter(_ item: Item, _ entry: Entry, _ list: CollectionDataProvider<Item>) throws {
        switch entry {
        case .insert: try list.insert([item], at: 0)
        case .append: list.append([item])
        case .replace: try list.replace(at: 1, by: item)
        }
    }

    @Test(arguments: Entry.allCases)
    func
        `a new element updates lists that contain it, is followed, and its changed child shows in other rows`(
            _ entry: Entry
        ) throws
    {
        func item(_ id: Int, _ value: Int) -> Item {
            Item(id: id, name: "", box: Box(id: id, part: Part(id: 7, value: value)))
        }
        let (list, other) = (CollectionDataProvider<Item>(key: "k", in: store), CollectionDataProvider<Item>(in: store))
        let sibling = CollectionDataProvider<Item>(key: "k", in: store)
        list.set([item(1, 0), item(2, 0)])
        other.set([item(3, 0)])
        let (own, siblings, others) = (ListLog<Item>(), ListLog<Item>(), ListLog<Item>())
        (list.delegate, sibling.delegate, other.delegate) = (own, siblings, others)
        try enter(item(3, 5), entry, list)
        #expect(other[0]?.box.part.value == 5 && others.count == 1)
        #expect(list.data.allSatisfy { $0.box.part.value == 5 } && list.data == sibling.data)
        // The provider is notified of the effects on other rows, but not of its own change.
        let steps = try #require(own.changes.first).allSteps
        #expect(own.count == 1 && siblings.count == 1)
        #expect(steps.allSatisfy { if case .update = $0 { true } else { false } })
        #expect(steps.count == (entry == .replace ? 1 : 2))
        store.set(item(3, 6))
        #expect(list.data.allSatisfy { $0.box.part.value == 6 } && own.count == 2)
    }

    @Test func `on request a list is notified of all steps of its own changes`() throws {
        let provider = provider([1, 2])
        provider.notifiesOfOwnChanges = true
        provider.append(parts([3]), context: "mine")
        provider.append([])
        provider.set(parts([9]))
        #expect(log.changes == [.steps([.insert(at: 2)]), .reset] && log.contexts == ["mine", nil])
    }

    @Test func `an index into a list that has changed since means the element that was shown`() throws {
        let (provider, sibling) = (provider([1, 2, 3], key: "k"), CollectionDataProvider<Part>(key: "k", in: store))
        provider.pause()
        try sibling.remove(at: 0)
        try sibling.insert(parts([7, 8]), at: 0)
        #expect(provider.data.map(\.id) == [1, 2, 3])
        try provider.replace(at: 2, by: Part(id: 3, value: 9))
        #expect(provider.data == sibling.data && sibling.data.map(\.value) == [0, 0, 0, 9])
        provider.pause()
        try sibling.remove(id: 2)
        #expect(throws: IndexOutOfRange.self) { try provider.remove(at: 2) }
        #expect(sibling.data.map(\.id) == [7, 8, 3])
    }

    @Test func `sequences begin with the current list and contain all changes`() async {
        let provider = provider([1])
        var events = provider.provider.values().makeAsyncIterator()
        provider.append(parts([2]))
        store.set(Part(id: 1, value: 3))
        #expect(await events.next()?.value.elements.count == 1)
        #expect(await events.next()?.value.change == .steps([.insert(at: 1)]))
        #expect(await events.next()?.value.change == .steps([.update(at: 0)]))
    }
}
