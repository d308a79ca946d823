import CofferdamStore
import Testing
import TestSupport

/// Checks the effect of one update on the store's models, and which listeners it notifies.
@Suite struct UpdateTests {
    private let store = Store()
    private let log = Log<Item?>()

    private func item(_ id: Int = 1, part: Part? = nil, spares: [Part] = []) -> Item {
        Item(id: id, name: "item", box: Box(id: 1, part: Part(id: 1, value: 0)), part: part, spares: spares)
    }

    private func listen(_ id: Int = 1) -> StoreListenerToken { store.listen(Item.self, id: id) { log.add($0.value) } }

    @Test func `a listener can be added before the model and gets its insertion, changes, removal and return`() {
        let token = listen()
        store.set(item())
        store.set(item())
        store.set(item(2))
        store.set(item(part: Part(id: 2, value: 1)))
        store.remove(Item.self, id: 1)
        store.remove(Item.self, id: 1)
        store.set(item())
        #expect(log.entries == [nil, item(), item(part: Part(id: 2, value: 1)), nil, item()])
        token.cancel()
        store.set(item(part: Part(id: 9, value: 9)))
        #expect(log.entries.count == 5)
    }

    @Test func `a change to a child reaches all its ancestors`() {
        store.set(item(1))
        store.set(item(2, spares: [Part(id: 1, value: 0), Part(id: 5, value: 0)]))
        let token = listen(2)
        store.set(Part(id: 1, value: 7))
        #expect(store.model(Box.self, id: 1)?.part.value == 7)
        #expect(store.model(Item.self, id: 1)?.box.part.value == 7)
        #expect(log.entries.last??.spares == [Part(id: 1, value: 7), Part(id: 5, value: 0)])
        #expect(log.entries.last??.box.part.value == 7)
        #expect(log.entries.count == 2)
        token.cancel()
    }

    @Test func `a removed optional child is left out, and a removed required child removes its parent`() {
        store.set(item(1, part: Part(id: 2, value: 0), spares: [Part(id: 2, value: 0), Part(id: 3, value: 0)]))
        store.remove(Part.self, id: 2)
        #expect(store.model(Item.self, id: 1)?.part == nil)
        #expect(store.model(Item.self, id: 1)?.spares.map(\.id) == [3])
        store.remove(Part.self, id: 1)
        #expect(store.model(Box.self, id: 1) == nil)
        #expect(store.model(Item.self, id: 1) == nil)
        #expect(store.model(Part.self, id: 3) != nil)
    }

    @Test func `the changes name updated and deleted models and their ancestors, and no new ones`() {
        store.set(item(1))
        let changes = Log<StoreChanges>()
        let token = store.listenToUpdates { changes.add($0.changes) }
        store.update { update in
            update.set(Part(id: 1, value: 1))
            update.set(Part(id: 8, value: 8))
        }
        #expect(changes.entries.last?.updated(Part.self) == [1])
        #expect(changes.entries.last?.updated(Box.self) == [1])
        #expect(changes.entries.last?.updated(Item.self) == [1])
        store.remove(Part.self, id: 1)
        #expect(changes.entries.last?.deleted(Part.self) == [1])
        #expect(changes.entries.last?.deleted(Item.self) == [1])
        #expect(changes.entries.last?.updated(Item.self) == [])
        token.cancel()
    }

    @Test func `several changes as one update notify once, with their context, and the last value of an id counts`() {
        store.set(item())
        let contexts = Log<String?>()
        let token = store.listen(Item.self, id: 1) { contexts.add($0.context as? String) }
        store.update(context: "why") { update in
            update.set(Part(id: 1, value: 1))
            update.set(Part(id: 1, value: 2))
            update.set(item(part: Part(id: 1, value: 0)))
            update.set(Part(id: 1, value: 3))
        }
        #expect(contexts.entries == [nil, "why"])
        #expect(store.model(Item.self, id: 1)?.part?.value == 3)
        #expect(store.model(Item.self, id: 1)?.box.part.value == 3)
        token.cancel()
    }

    @Test func `the origin of a change is notified only of its effects elsewhere`() {
        let (own, other) = (Log<Int?>(), Log<Int?>())
        let first = store.listen(Part.self, id: 1) { own.add($0.value?.value) }
        let second = store.listen(Part.self, id: 1) { other.add($0.value?.value) }
        store.set(Part(id: 1, value: 5), origin: first)
        store.set(Part(id: 1, value: 6), origin: second)
        #expect(own.entries == [nil, 6])
        #expect(other.entries == [nil, 5])
        for token in [first, second] { token.cancel() }
    }

    @Test func `a value that contains itself is set once`() {
        struct Person: StoreModel {
            var id: Int
            var name: String
            var friends: [Person] = []
            func mappingChildren(_ children: inout ChildMapper) -> Person? {
                var person = self
                person.friends = children.each(friends)
                return person
            }
        }
        let amara = Person(
            id: 1,
            name: "amara",
            friends: [Person(id: 2, name: "noor", friends: [Person(id: 1, name: "old")])]
        )
        store.set(amara)
        #expect(store.model(Person.self, id: 1)?.name == "amara")
        store.set(Person(id: 2, name: "Noor", friends: [Person(id: 1, name: "Amara")]))
        #expect(store.model(Person.self, id: 1)?.name == "Amara")
    }

    @Test func `after removing everything, later models notify listeners`() {
        store.set(item())
        let token = listen()
        store.removeAll()
        #expect(store.model(Part.self, id: 1) == nil)
        store.set(item())
        #expect(log.entries == [item(), nil, item()])
        token.cancel()
    }

    @Test func `a store that keeps observed models removes those without listeners and parents`() {
        let store = Store(retention: .observed)
        store.set(item())
        #expect(store.model(Item.self, id: 1) == nil && store.model(Part.self, id: 1) == nil)
        let token = store.listen(Item.self, id: 1) { _ in }
        store.set(item())
        #expect(store.model(Part.self, id: 1) != nil)
        token.cancel()
        #expect(store.model(Item.self, id: 1) == nil && store.model(Part.self, id: 1) == nil)
    }
}
