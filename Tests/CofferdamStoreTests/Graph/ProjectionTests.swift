import CofferdamStore
import Testing
import TestSupport

/// Checks several types that are projections of one entity.
@Suite struct ProjectionTests {
    @Test func `a projection changes what it shares with the others, and leaves the rest`() {
        let store = Store()
        let log = Log<Animal?>()
        store.set(Animal(id: 1, name: "a", legs: 4))
        let token = store.listen(Animal.self, id: 1) { log.add($0.value) }
        store.set(Card(id: 1, name: "b"))
        #expect(store.model(Animal.self, id: 1) == Animal(id: 1, name: "b", legs: 4))
        store.set(Card(id: 1, name: "b"))
        #expect(log.entries.count == 2)
        store.set(Animal(id: 1, name: "b", legs: 3))
        #expect(store.model(Card.self, id: 1) == Card(id: 1, name: "b"))
        store.remove(Card.self, id: 1)
        #expect(store.model(Animal.self, id: 1) == nil)
        token.cancel()
    }
}
