import Cofferdam
import CofferdamStore
import Testing
import TestSupport

/// Checks the reported changes of an update, which are its net effect.
@Suite struct ChangesTests {
    private let store = Store()

    private func changes(_ body: (borrowing StoreUpdate) -> Void) -> StoreChanges? {
        let log = Log<StoreChanges>()
        let token = store.listenToUpdates { log.add($0.changes) }
        store.update { body($0) }
        token.cancel()
        return log.entries.last
    }

    @Test func `a model that is removed and set again is updated if it differs, and not deleted`() {
        for id in 1...2 { store.set(Part(id: id, value: 0)) }
        let changes = changes { update in
            for id in 1...2 { update.remove(Part.self, id: id) }
            update.set(Part(id: 1, value: 1))
            update.set(Part(id: 2, value: 0))
        }
        #expect(changes?.updated(Part.self) == [1] && changes?.deleted(Part.self) == [])
    }

    @Test func `a new projection updates a model only if it changes the known one`() {
        for id in 1...2 { store.set(Animal(id: id, name: "a", legs: 4)) }
        let changes = changes { update in
            update.set(Card(id: 1, name: "b"))
            update.set(Card(id: 2, name: "a"))
        }
        #expect(changes?.updated(Animal.self) == [1] && changes?.updated(Card.self) == [1])
        #expect(store.model(Animal.self, id: 1)?.name == "b" && store.model(Card.self, id: 2)?.name == "a")
    }

    @Test func `a model that changes and changes back is not reported, nor are its ancestors`() {
        let box = Box(id: 1, part: Part(id: 1, value: 0))
        store.set(box)
        let changes = changes { update in
            update.set(Part(id: 1, value: 1))
            update.set(Box(id: 1, part: Part(id: 1, value: 2), size: 3))
            update.set(box)
        }
        #expect(changes?.isEmpty == true)
    }

    @Test func `an unknown model is not deleted`() {
        let changes = changes { update in
            update.set(Box(id: 1, part: Part(id: 1, value: 0)))
            update.remove(Part.self, id: 1)
        }
        #expect(changes?.isEmpty == true && store.model(Box.self, id: 1) == nil)
    }

    @Test func `an entity that loses one of its projections is updated, not deleted`() {
        struct Kennel: StoreModel {
            typealias Entity = Animal
            var id: Int
            var part: Part
            func mappingChildren(_ children: inout ChildMapper) -> Kennel? {
                children.required(part).map { Kennel(id: id, part: $0) }
            }
        }
        store.set(Animal(id: 1, name: "a", legs: 4))
        store.set(Kennel(id: 1, part: Part(id: 1, value: 0)))
        let changes = changes { $0.remove(Part.self, id: 1) }
        #expect(store.model(Kennel.self, id: 1) == nil && store.model(Animal.self, id: 1) != nil)
        #expect(changes?.updated(Animal.self) == [1] && changes?.deleted(Animal.self) == [])
    }

    @Test func `after a pause an entity is compared by the projections that both values have`() {
        struct Pair: StoreModel {
            var id: Int
            var first: Card?
            var second: Animal?
            func mappingChildren(_ children: inout ChildMapper) -> Pair? {
                Pair(id: id, first: children.optional(first), second: children.optional(second))
            }
        }
        let (card, animal, log) = (Card(id: 1, name: "a"), Animal(id: 1, name: "a", legs: 4), Log<StoreChanges>())
        store.set(card)
        store.set(Pair(id: 1, second: animal))
        let token = store.listen(Pair.self, id: 1) { log.add($0.changes) }
        token.pause()
        store.set(Pair(id: 1, first: card, second: animal))
        token.resume()
        #expect(log.entries.last?.updated(Pair.self) == [1] && log.entries.last?.updated(Animal.self) == [])
    }
}
