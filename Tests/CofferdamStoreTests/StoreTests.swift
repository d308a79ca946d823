import Cofferdam
import CofferdamStore
import Testing

struct Animal: Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
}

/// Another type with ids of the same kind.
private struct Keeper: Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
}

final class Log<Entry: Sendable>: Sendable {
    private let state = Mutex<[Entry]>([])
    var entries: [Entry] { state.withLock { $0 } }
    func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

@Suite struct StoreTests {
    @Test func `a model is found by its type and id, and replaced by the next with that id`() {
        let store = Store()
        store.set(Animal(id: 1, name: "hydra"))
        store.set(Keeper(id: 1, name: "amara"))
        #expect(store.model(Animal.self, id: 1)?.name == "hydra")
        #expect(store.model(id: 1) == Keeper(id: 1, name: "amara"))
        #expect(store.model(Animal.self, id: 2) == nil)
        store.set(Animal(id: 1, name: "Hydra"))
        #expect(store.model(Animal.self, id: 1)?.name == "Hydra")
        #expect(store.model(Keeper.self, id: 1)?.name == "amara")
    }

    @Test func `a listener may come before the model, and hears of its coming, changes, removal and return`() {
        let store = Store()
        let log = Log<String?>()
        let token = store.listen(Animal.self, id: 1) { log.add($0?.name) }
        store.set(Animal(id: 1, name: "a"))
        store.set(Animal(id: 1, name: "a"))
        store.set(Animal(id: 2, name: "other"))
        store.set(Animal(id: 1, name: "b"))
        store.remove(Animal.self, id: 1)
        store.remove(Animal.self, id: 1)
        store.set(Animal(id: 1, name: "b"))
        #expect(log.entries == [nil, "a", "b", nil, "b"])
        token.cancel()
        store.set(Animal(id: 1, name: "c"))
        #expect(log.entries.count == 5)
    }

    @Test func `states of one id begin with what is there`() async {
        let store = Store()
        store.set(Animal(id: 1, name: "a"))
        var states = store.provider(Animal.self, id: 1).states.makeAsyncIterator()
        #expect(await states.next()??.name == "a")
        store.set(Animal(id: 1, name: "b"))
        #expect(await states.next()??.name == "b")
    }

    @Test func `everything can be taken out, and what is set later is heard of`() {
        let store = Store()
        let log = Log<String?>()
        store.set([Animal(id: 1, name: "a"), Animal(id: 2, name: "b")])
        store.set(Keeper(id: 1, name: "amara"))
        let token = store.listen(Animal.self, id: 1) { log.add($0?.name) }
        store.removeAll()
        #expect(store.model(Animal.self, id: 2) == nil)
        #expect(store.model(Keeper.self, id: 1) == nil)
        store.set(Animal(id: 1, name: "new"))
        #expect(log.entries == ["a", nil, "new"])
        token.cancel()
    }

    @Test func `with many writers each listener ends with the store's truth`() async {
        let store = Store()
        let logs = (0..<10).map { _ in Log<Animal?>() }
        let tokens = logs.enumerated().map { id, log in store.listen(Animal.self, id: id) { log.add($0) } }
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    for step in 0..<200 { store.set(Animal(id: step % 10, name: "\(writer)/\(step)")) }
                }
            }
        }
        for (id, log) in logs.enumerated() {
            #expect(log.entries.last == store.model(Animal.self, id: id))
        }
        for token in tokens { token.cancel() }
    }
}

@Suite struct ModelListTests {
    @Test func `a list and a detail show the same animal, whoever changed it`() {
        let store = Store()
        let list = ModelList<Animal>(in: store)
        list.set([Animal(id: 2, name: "b"), Animal(id: 1, name: "a"), Animal(id: 2, name: "b")])
        #expect(list.models.map(\.id) == [2, 1])
        store.set(Animal(id: 1, name: "A"))
        #expect(list.models.map(\.name) == ["b", "A"])
        #expect(store.model(Animal.self, id: 1)?.name == "A")
    }

    @Test func `a removed model is missing until it comes back to its place`() {
        let store = Store()
        let list = ModelList<Animal>(in: store)
        list.set([1, 2, 3].map { Animal(id: $0, name: "\($0)") })
        store.remove(Animal.self, id: 2)
        #expect(list.models.map(\.id) == [1, 3])
        store.set(Animal(id: 2, name: "back"))
        #expect(list.models.map(\.name) == ["1", "back", "3"])
    }

    @Test func `replacing the list is told once, and ids that left it are no longer listened to`() {
        let store = Store()
        let list = ModelList<Animal>(in: store)
        let log = Log<[Int]>()
        let token = list.provider.listen { log.add($0.map(\.id)) }
        list.set((1...100).map { Animal(id: $0, name: "") })
        list.set([Animal(id: 100, name: ""), Animal(id: 1, name: "")])
        #expect(log.entries == [[], Array(1...100), [100, 1]])
        store.set(Animal(id: 50, name: "gone"))
        #expect(log.entries.count == 3)
        #expect(list.models.map(\.id) == [100, 1])
        token.cancel()
    }

    @Test func `a list lets go of the store's models when it is released`() {
        let store = Store()
        weak var released: ModelList<Animal>?
        do {
            let list = ModelList<Animal>([1], in: store)
            released = list
            store.set(Animal(id: 1, name: "a"))
            #expect(list.models.count == 1)
        }
        #expect(released == nil)
        store.set(Animal(id: 1, name: "b"))
    }
}
