import CofferdamStore
import Testing
import TestSupport

@Suite struct StoreCollectionTests {
    private let store = Store()
    private let log = Log<CollectionState<Part>>()

    private func parts(_ ids: some Sequence<Int>) -> [Part] { ids.map { Part(id: $0, value: 0) } }

    @Test func `a list and a detail show the same model`() {
        let list = StoreCollection(parts([2, 1]), in: store)
        let token = list.listen { log.add($0.value) }
        store.set(Part(id: 1, value: 5))
        #expect(Array(list.elements) == [Part(id: 2, value: 0), Part(id: 1, value: 5)])
        #expect(log.entries.map(\.change) == [.reset, .steps([.update(at: 1)])])
        store.remove(Part.self, id: 2)
        #expect(log.entries.last?.change == .steps([.remove(at: 0)]))
        #expect(list.elements.map(\.id) == [1])
        token.cancel()
    }

    @Test func `lists of one key are one, and others are not`() throws {
        let first = StoreCollection<Part>(key: "all", in: store)
        let second = StoreCollection<Part>(key: "all", in: store)
        let other = StoreCollection<Part>(key: "some", in: store)
        let token = second.listen { log.add($0.value) }
        first.append(parts([1, 2, 3]))
        try first.remove(at: 1)
        try first.insert(Part(id: 9, value: 9), at: 0)
        try first.replace(at: 0, by: Part(id: 8, value: 8))
        #expect(second.elements.map(\.id) == [8, 1, 3] && other.elements.isEmpty)
        #expect(
            log.entries.map(\.change) == [
                .reset, .steps([.insert(at: 0), .insert(at: 1), .insert(at: 2)]), .steps([.remove(at: 1)]),
                .steps([.insert(at: 0)]), .steps([.update(at: 0)]),
            ]
        )
        token.cancel()
    }

    @Test func `an index out of range is an error, and changes nothing`() {
        let list = StoreCollection(parts([1]), in: store)
        for index in [-1, 1, .max] {
            #expect(throws: IndexOutOfRange(index: index, count: 1)) { try list.remove(at: index) }
        }
        #expect(throws: IndexOutOfRange(index: 2, count: 1)) { try list.insert(Part(id: 2, value: 0), at: 2) }
        #expect(list.elements.count == 1)
    }

    @Test func `an element is in the list as often as it was set, and all occurrences are removed`() {
        let list = StoreCollection(parts([1, 2, 1]), in: store)
        store.set(Part(id: 1, value: 4))
        #expect(list.elements.map(\.value) == [4, 0, 4])
        store.remove(Part.self, id: 1)
        #expect(list.elements.map(\.id) == [2])
    }

    @Test func `a removed element is no longer followed, and an old snapshot does not change`() {
        let list = StoreCollection(parts(0..<1000), in: store)
        let snapshot = list.elements
        let token = list.listen { log.add($0.value) }
        list.set(parts([7]))
        store.set(Part(id: 500, value: 1))
        #expect(log.entries.count == 2)
        #expect(snapshot.count == 1000 && snapshot.map(\.id) == Array(0..<1000) && snapshot[500].value == 0)
        token.cancel()
    }

    @Test func `a released list releases the store's models`() {
        let store = Store(retention: .observed)
        do {
            let list = StoreCollection(parts(0..<200), in: store)
            #expect(list.elements.count == 200 && store.model(Part.self, id: 150) != nil)
        }
        #expect(store.model(Part.self, id: 150) == nil)
    }

    @Test func `an edit is not lost when another element is added after it`() {
        let list = StoreCollection(parts([1, 2]), in: store)
        store.update { update in
            update.set(Part(id: 1, value: 3))
            update.append(Part(id: 3, value: 0), to: list)
        }
        #expect(list.elements.map(\.value) == [3, 0, 0])
        #expect(store.model(Part.self, id: 1)?.value == 3)
    }

    @Test func `a paused list notifies once, as a whole, with the last context, unless it is unchanged`() throws {
        let list = StoreCollection(parts([1, 2]), in: store)
        let contexts = Log<String?>()
        let token = list.listen { event in
            log.add(event.value)
            contexts.add(event.context as? String)
        }
        token.pause()
        list.append(parts([3]), context: "append")
        store.set(Part(id: 1, value: 1), context: "set")
        token.resume()
        #expect(log.entries.count == 2 && log.entries.last?.change == .reset && contexts.entries.last == "set")
        token.pause()
        try list.remove(at: 2)
        list.append(parts([3]))
        token.resume()
        #expect(log.entries.count == 2)
        token.cancel()
    }

    @Test func `one update of every element notifies once, and removed elements are gone`() {
        let list = StoreCollection(parts(0..<1000), in: store)
        let token = list.listen { log.add($0.value) }
        let snapshot = list.elements
        store.update { update in
            for id in 0..<1000 {
                if id % 3 == 0 { update.remove(Part.self, id: id) } else { update.set(Part(id: id, value: id)) }
            }
        }
        let left = (0..<1000).filter { $0 % 3 != 0 }.map { Part(id: $0, value: $0) }
        #expect(Array(list.elements) == left && snapshot.elementsEqual(parts(0..<1000)))
        #expect(log.entries.count == 2)
        var count: Int?
        if case .steps(let steps) = log.entries.last?.change { count = steps.count }
        #expect(count == 1000)
        token.cancel()
    }

    @Test(arguments: [Store.Retention.everything, .observed])
    func `an element that leaves the list in the update that removes or changes it can be inserted again`(
        _ retention: Store.Retention
    ) throws {
        let store = Store(retention: retention)
        let list = StoreCollection(parts([1, 5, 2]), in: store)
        store.update { update in
            update.remove(Part.self, id: 5)
            #expect(throws: Never.self) { try update.remove(at: 1, in: list) }
        }
        try list.insert(Part(id: 5, value: 1), at: 0)
        #expect(list.elements.map(\.id) == [5, 1, 2] && store.model(Part.self, id: 5)?.value == 1)
        store.update { update in
            update.set(Part(id: 5, value: 9))
            #expect(throws: Never.self) { try update.remove(at: 0, in: list) }
        }
        try list.insert(Part(id: 5, value: 3), at: 0)
        #expect(list.elements.map(\.value) == [3, 0, 0] && store.model(Part.self, id: 5)?.value == 3)
        store.update { update in
            for id in [5, 1] { update.set(Part(id: id, value: 8)) }
            update.set([Part(id: 2, value: 0)], in: list)
        }
        list.append([Part(id: 5, value: 4)])
        store.remove(Part.self, id: 1)
        #expect(list.elements.map(\.value) == [0, 4])
    }

    @Test func `a list that is unchanged at the end of an update notifies no one, and its context is not the last`()
        throws
    {
        let list = StoreCollection(parts(0..<200), in: store)
        let (contexts, other) = (Log<String?>(), Log<CollectionChange>())
        let token = list.listen { contexts.add($0.context as? String) }
        let listening = list.listen { other.add($0.value.change) }
        func restore() {
            store.update(context: "restored") { update in
                #expect(throws: Never.self) {
                    try update.remove(at: 100, in: list)
                    try update.insert(Part(id: 100, value: 0), at: 100, in: list)
                    try update.replace(at: 1, by: Part(id: 1, value: 1), in: list)
                    update.set(Part(id: 1, value: 0))
                }
            }
            store.update(context: "restored") { update in
                update.set([], in: list)
                update.set(parts(0..<200), in: list)
            }
        }
        restore()
        #expect(contexts.entries.count == 1)
        token.pause()
        list.append(parts([999]), context: "real")
        try list.remove(at: 200, context: "back")
        restore()
        token.resume()
        #expect(contexts.entries == [nil])
        token.pause()
        store.set(Part(id: 7, value: 1), context: "real")
        store.update(context: "restored") { update in
            #expect(throws: Never.self) {
                try update.remove(at: 0, in: list)
                try update.insert(Part(id: 0, value: 0), at: 0, in: list)
            }
        }
        token.resume()
        #expect(contexts.entries == [nil, "real"])
        #expect(
            other.entries == [
                .reset, .steps([.insert(at: 200)]), .steps([.remove(at: 200)]), .steps([.update(at: 7)]),
            ]
        )
        listening.cancel()
    }
}
