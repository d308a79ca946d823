import Cofferdam
import CofferdamStore
import Testing
import TestSupport

/// Checks that a listener is not notified of a change of which it is the origin, whenever it is paused.
@Suite struct OriginTests {
    private let store = Store()
    private let log = Log<StoreEvent<Part?>>()

    private func listen() -> StoreListenerToken { store.listen(Part.self, id: 1) { log.add($0) } }
    private var values: [Int?] { log.entries.map { $0.value?.value } }

    @Test func `a listener's own change is not delivered after a later pause`() {
        let token = listen()
        store.set(Part(id: 1, value: 1), origin: token)
        token.pause()
        token.resume()
        #expect(values == [nil])
        store.set(Part(id: 1, value: 2))
        #expect(values == [nil, 2])
    }

    @Test func `a listener's own change in a pause is not delivered after it`() {
        let token = listen()
        token.pause()
        store.set(Part(id: 1, value: 1), origin: token)
        token.resume()
        #expect(values == [nil])
        store.set(Part(id: 1, value: 2))
        #expect(values == [nil, 2])
    }

    @Test func `changes that others undo in a pause are delivered`() {
        store.set(Part(id: 1, value: 0))
        let token = listen()
        token.pause()
        store.set(Part(id: 1, value: 1), context: "own", origin: token)
        store.set(Part(id: 1, value: 0), context: "undone")
        token.resume()
        #expect(values == [0, 0] && log.entries.last?.context as? String == "undone")
        #expect(log.entries.last?.changes.updated(Part.self) == [1])
    }

    @Test func `a listener's own change on top of an undelivered one is delivered with it and its context`() {
        let token = listen()
        token.pause()
        store.set(Part(id: 1, value: 1), context: "theirs")
        store.set(Part(id: 1, value: 2), context: "own", origin: token)
        token.resume()
        #expect(values == [nil, 2] && log.entries.last?.context as? String == "theirs")
    }

    @Test func `a listener's own change on top of changes that cancel out is not delivered`() {
        store.set(Part(id: 1, value: 0))
        let token = listen()
        token.pause()
        for value in [1, 0] { store.set(Part(id: 1, value: value)) }
        store.set(Part(id: 1, value: 2), origin: token)
        token.resume()
        #expect(values == [0])
    }

    @Test func `a list's own change is not delivered after a pause, another's is`() {
        let list = StoreCollection([Part(id: 1, value: 0)], in: store)
        let lists = Log<[Int]>()
        let token = list.listen { lists.add($0.value.elements.map(\.id)) }
        token.pause()
        list.append([Part(id: 2, value: 0)], origin: token)
        token.resume()
        #expect(lists.entries == [[1]])
        token.pause()
        list.append([Part(id: 3, value: 0)])
        list.append([Part(id: 4, value: 0)], origin: token)
        token.resume()
        #expect(lists.entries == [[1], [1, 2, 3, 4]])
    }

    @Test func `an update listener is notified of others' updates in a pause, and not without any`() {
        let updates = Log<String?>()
        let token = store.listenToUpdates { updates.add($0.context as? String) }
        token.pause()
        token.resume()
        token.pause()
        store.set(Part(id: 1, value: 1), context: "own", origin: token)
        token.resume()
        #expect(updates.entries == [nil])
        token.pause()
        store.set(Part(id: 1, value: 2), context: "theirs")
        store.set(Part(id: 1, value: 3), context: "own", origin: token)
        token.resume()
        #expect(updates.entries == [nil, "theirs"])
    }

    @Test func `a listener's own change while its resumption is queued is not delivered, paused again or not`() {
        let (token, again) = (listen(), store.listen(Part.self, id: 1) { log.add($0) })
        let other = store.listen(Part.self, id: 2) { event in
            guard event.value != nil else { return }
            for token in [token, again] {
                token.pause()
                token.resume()
            }
            store.set(Part(id: 1, value: 1), origin: token)
            again.pause()
            store.set(Part(id: 1, value: 2), origin: again)
        }
        store.set(Part(id: 2, value: 1))
        // The first listener is notified of the second one's change, but not of its own.
        #expect(values == [nil, nil, 2])
        again.resume()
        #expect(values == [nil, nil, 2, 2])
        other.cancel()
    }

    @Test func `an event queued for a listener that is paused before its turn keeps its context`() {
        let token = listen()
        let other = store.listen(Part.self, id: 2) { event in
            guard event.value != nil else { return }
            store.set(Part(id: 1, value: 1), context: "queued")
            token.pause()
        }
        store.set(Part(id: 2, value: 1))
        token.resume()
        #expect(values == [nil, 1] && log.entries.last?.context as? String == "queued")
        other.cancel()
    }

    @Test func `what the last update held is freed outside of the lock`() {
        final class Screen: Sendable {
            let store: Store
            let log: Log<Int?>
            init(_ store: Store, _ log: Log<Int?>) { (self.store, self.log) = (store, log) }
            // This would deadlock under the store's lock.
            deinit { log.add(store.model(Part.self, id: 1)?.value) }
        }
        let log = Log<Int?>()
        do {
            let screen = Screen(store, log)
            let token = store.listen(Part.self, id: 1) { _ in _ = screen }
            store.set(Part(id: 1, value: 1), context: Screen(store, log), origin: token)
            token.cancel()
        }
        #expect(log.entries == [1, 1])
    }
}
