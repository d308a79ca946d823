import CofferdamStore
import Testing
import TestSupport

/// Checks the order in which listeners are notified, and the thread.
@Suite struct DeliveryTests {
    @Test func `a change made in a callback is delivered after it, to all in one order`() {
        let store = Store()
        let log = Log<String>()
        let first = store.listen(Part.self, id: 1) { event in
            log.add("first \(event.value?.value ?? -1)")
            if event.value?.value == 1 { store.set(Part(id: 1, value: 2)) }
        }
        let second = store.listen(Part.self, id: 1) { log.add("second \($0.value?.value ?? -1)") }
        store.set(Part(id: 1, value: 1))
        #expect(log.entries == ["first -1", "second -1", "first 1", "second 1", "first 2", "second 2"])
        for token in [first, second] { token.cancel() }
    }

    @Test func `a listener can be removed by another one's callback, and by its own`() {
        let store = Store()
        let log = Log<Int>()
        let tokens = Log<StoreListenerToken>()
        for number in 0..<3 {
            tokens.add(
                store.listen(Part.self, id: 1) { event in
                    guard event.value != nil else { return }
                    log.add(number)
                    for token in tokens.entries { token.cancel() }
                }
            )
        }
        store.set(Part(id: 1, value: 1))
        store.set(Part(id: 1, value: 2))
        #expect(log.entries == [0])
    }

    @Test func `with many writers each listener's values are in order, and end with the last`() async {
        let store = Store()
        let logs = (0..<10).map { _ in Log<Part?>() }
        let tokens = logs.enumerated().map { id, log in store.listen(Part.self, id: id) { log.add($0.value) } }
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    for step in 0..<200 { store.set(Part(id: step % 10, value: writer * 1000 + step)) }
                }
            }
        }
        await store.delivered()
        for (id, log) in logs.enumerated() {
            #expect(log.entries.last == store.model(Part.self, id: id))
            let ofFirstWriter = log.entries.compactMap { $0?.value }.filter { $0 < 1000 }
            #expect(ofFirstWriter == ofFirstWriter.sorted())
        }
        for token in tokens { token.cancel() }
    }

    @Test func `a listener that is removed frees what it held`() {
        final class Screen: Sendable {}
        let store = Store()
        weak var released: Screen?
        do {
            let screen = Screen()
            released = screen
            let token = store.listen(Part.self, id: 1) { _ in _ = screen }
            store.set(Part(id: 1, value: 1))
            token.cancel()
        }
        #expect(released == nil)
    }

    @Test func `what a removed listener held is freed outside of the lock`() {
        final class Screen: Sendable {
            let store: Store
            let log: Log<Int?>
            init(_ store: Store, _ log: Log<Int?>) { (self.store, self.log) = (store, log) }
            // This would deadlock under the store's lock.
            deinit { log.add(store.model(Part.self, id: 1)?.value) }
        }
        let (store, log) = (Store(), Log<Int?>())
        store.set(Part(id: 1, value: 3))
        let tokens = (0..<10).map { _ in
            let screen = Screen(store, log)
            return store.listen(Part.self, id: 1) { _ in _ = screen }
        }
        for token in tokens { token.cancel() }
        #expect(log.entries == Array(repeating: 3, count: 10))
    }
}
