import CofferdamStore
import Testing
import TestSupport

/// Checks that paused listeners receive nothing, and the net change once they resume.
@Suite struct PauseTests {
    private let store = Store()
    private let log = Log<StoreEvent<Item?>>()
    private let item = Item(id: 1, name: "a", box: Box(id: 1, part: Part(id: 1, value: 0)), part: Part(id: 2, value: 0))

    private func pausedListener() -> StoreListenerToken {
        store.set(item)
        let token = store.listen(Item.self, id: 1) { log.add($0) }
        token.pause()
        token.pause()
        return token
    }

    @Test func `changes in a pause notify once, with the last context and the net changes`() {
        let token = pausedListener()
        store.set(Part(id: 1, value: 1), context: "first")
        store.set(Part(id: 2, value: 1), context: "second")
        store.set(Part(id: 2, value: 0), context: "last")
        #expect(log.entries.count == 1 && token.isPaused)
        token.resume()
        token.resume()
        #expect(log.entries.count == 2 && !token.isPaused)
        #expect(log.entries.last?.context as? String == "last")
        #expect(log.entries.last?.changes.updated(Part.self) == [1])
        #expect(log.entries.last?.changes.updated(Item.self) == [1])
        store.set(Part(id: 1, value: 2))
        #expect(log.entries.count == 3)
    }

    @Test(arguments: [true, false])
    func `changes that cancel out notify no one`(_ isRemoved: Bool) {
        let token = pausedListener()
        if isRemoved { store.remove(Item.self, id: 1) } else { store.set(Part(id: 1, value: 9)) }
        store.set(item)
        token.resume()
        #expect(log.entries.count == 1)
        store.set(Part(id: 1, value: 2))
        #expect(log.entries.count == 2)
    }

    @Test func `a model that is gone at the end of a pause is reported as deleted`() {
        let token = pausedListener()
        store.set(Part(id: 1, value: 9))
        store.remove(Part.self, id: 1)
        token.resume()
        let last = log.entries.last
        #expect(log.entries.count == 2 && last?.value == nil)
        #expect(last?.changes.deleted(Item.self) == [1] && last?.changes.deleted(Part.self) == [1])
        #expect(last?.changes.updated(Part.self) == [])
    }

    @Test func `other listeners are notified during a pause, and a paused one can be released`() {
        let others = Log<Item?>()
        let other = store.listen(Item.self, id: 1) { others.add($0.value) }
        do { _ = pausedListener() }
        store.set(Part(id: 1, value: 3))
        #expect(others.entries.count == 3 && log.entries.count == 1)
        other.cancel()
    }

    @Test func `a pause holds while there is no model yet`() {
        let token = store.listen(Item.self, id: 1) { log.add($0) }
        token.pause()
        store.set(item)
        #expect(log.entries.count == 1)
        token.resume()
        #expect(log.entries.last?.value == item)
    }

    @Test func `a listener paused again before its resumption still knows what it knew at first`() {
        let token = pausedListener()
        store.set(Part(id: 1, value: 1), context: "before")
        let other = store.listen(Part.self, id: 2) { event in
            // Deliveries are running, so the resumed listener waits for its turn.
            guard event.value?.value == 7 else { return }
            token.resume()
            token.pause()
        }
        store.set(Part(id: 2, value: 7), context: "between")
        #expect(token.isPaused && log.entries.count == 1)
        store.set(Part(id: 2, value: 0))
        token.resume()
        #expect(!token.isPaused && log.entries.count == 2)
        #expect(log.entries.last?.changes.updated(Part.self) == [1] && log.entries.last?.context == nil)
        other.cancel()
    }

    @Test func `a listener that is cancelled while paused or resuming is not notified`() {
        let (first, second) = (pausedListener(), pausedListener())
        let other = store.listen(Part.self, id: 1) { event in
            guard event.value?.value == 7 else { return }
            second.resume()
            second.cancel()
        }
        first.cancel()
        store.set(Part(id: 1, value: 7))
        for token in [first, second] {
            token.resume()
            #expect(!token.isPaused)
        }
        #expect(log.entries.count == 2)
        other.cancel()
    }

    @Test func `an event queued for a listener that is paused before its turn is delivered at resume`() {
        let (parts, late) = (Log<Part?>(), Log<StoreListenerToken>())
        let token = store.listen(Part.self, id: 2) { parts.add($0.value) }
        let other = store.listen(Part.self, id: 1) { event in
            guard event.value?.value == 7 else { return }
            store.set(Part(id: 2, value: 8))
            token.pause()
            late.add(store.listen(Part.self, id: 2) { parts.add($0.value) })
            late.entries[0].pause()
        }
        store.set(Part(id: 1, value: 7))
        #expect(parts.entries == [nil])
        token.resume()
        #expect(parts.entries == [nil, Part(id: 2, value: 8)])
        for token in late.entries { token.resume() }
        #expect(parts.entries.count == 3 && parts.entries.last == Part(id: 2, value: 8))
        token.pause()
        token.resume()
        #expect(parts.entries.count == 3)
        other.cancel()
    }
}
