import Cofferdam
import CofferdamState
import CofferdamStore
import Testing
import TestSupport

/// Records how deep in the stack each notification arrives.
private final class DepthLog: DataProviderDelegate {
    private let log = Log<UInt>()
    /// The addresses of a variable of each notification.
    var depths: [UInt] { log.entries }

    func dataProvider(_ provider: DataProvider<Item>, changed event: StoreEvent<Item?>) {
        var here = 0
        log.add(withUnsafePointer(to: &here) { UInt(bitPattern: $0) })
    }
}

/// Checks one provider: its value, its notifications, and its behaviour before there is a model.
@Suite struct DataProviderTests {
    private let store = Store()
    private let log = DataLog<Item>()

    private func item(_ id: Int = 1, part: Part? = nil, inner: Int = 0) -> Item {
        Item(id: id, name: "item", box: Box(id: id, part: Part(id: 10 + id, value: inner)), part: part)
    }

    private func provider(_ item: Item? = nil) -> DataProvider<Item> {
        let provider = DataProvider<Item>(in: store)
        provider.set(item)
        provider.delegate = log
        return provider
    }

    @Test func `a set model is shown, and none after nil`() {
        let provider = provider()
        #expect(provider.data == nil && provider.modelIdentifier == nil && provider.lastUpdated == .never)
        provider.set(item())
        #expect(provider.data == item() && provider.modelIdentifier == 1)
        provider.set(nil)
        #expect(provider.data == nil && provider.modelIdentifier == nil)
        #expect(store.model(Item.self, id: 1) == item(), "it is removed from this screen, not from the store")
        store.set(item(part: Part(id: 2, value: 2)))
        #expect(log.values.isEmpty)
    }

    @Test func `the thousandth notification arrives no deeper in the stack than the first`() {
        let (provider, log) = (provider(item()), DepthLog())
        provider.delegate = log
        for inner in 1...1_000 { store.set(item(inner: inner)) }
        #expect(log.depths.count == 1_000 && Set(log.depths).count == 1)
    }

    @Test func `a change by another provider notifies with its context, the provider's own does not`() {
        let (first, second) = (provider(item()), DataProvider<Item>(id: 1, in: store))
        #expect(second.data == item())
        second.set(item(part: Part(id: 2, value: 1)), context: "why")
        #expect(first.data == second.data && log.values == [second.data] && log.contexts == ["why"])
        first.set(item())
        #expect(log.values.count == 1 && second.data == item())
    }

    @Test func `on request a provider is notified of its own change too, after the others`() {
        let order = Log<String>()
        let provider = provider(item())
        let other = store.listen(Item.self, id: 1) { _ in order.add("other") }
        let listening = provider.provider.listen { _ in order.add("own") }
        provider.notifiesOfOwnChanges = true
        provider.set(item(part: Part(id: 2, value: 1)), context: "mine")
        #expect(log.values == [provider.data] && log.contexts == ["mine"])
        #expect(log.last?.changes.updated(Item.self) == [1])
        #expect(order.entries.suffix(2).contains("other"))
        for cancel in [other.cancel, listening.cancel] { cancel() }
    }

    @Test func `an equal value notifies no one`() {
        let provider = provider(item())
        store.set(item())
        DataProvider<Item>(in: store).set(item())
        #expect(log.values.isEmpty && provider.data == item())
    }

    @Test func `a change of a child notifies`() {
        let provider = provider(item())
        store.set(Part(id: 11, value: 5), context: "part")
        #expect(provider.data == item(inner: 5) && log.contexts == ["part"])
        #expect(log.last?.changes.updated(Part.self) == [11])
    }

    @Test func `a removed model disappears, and appears again when it is set`() {
        let provider = provider(item())
        store.remove(Item.self, id: 1, context: "gone")
        #expect(provider.data == nil && provider.modelIdentifier == 1 && log.contexts == ["gone"])
        store.set(item())
        #expect(provider.data == item() && log.values == [nil, item()])
    }

    @Test
    func `a removed optional child is left out, and a removed required child removes the model`() {
        let provider = provider(item(part: Part(id: 2, value: 0)))
        store.remove(Part.self, id: 2)
        #expect(provider.data == item())
        store.remove(Part.self, id: 11)
        #expect(provider.data == nil && log.values == [item(), nil])
    }

    @Test func `an id can be listened to before its model is set, at any depth`() {
        let part = DataProvider<Part>(id: 11, in: store)
        let partLog = DataLog<Part>()
        part.delegate = partLog
        #expect(part.data == nil && part.modelIdentifier == 11)
        store.set(item(inner: 3))
        store.set(item(inner: 4))
        store.set(Part(id: 11, value: 5))
        #expect(partLog.values.map { $0?.value } == [3, 4, 5])
    }

    @Test func `a provider that shows another model gets no changes of the previous one`() {
        let provider = provider(item(1))
        provider.set(item(2))
        store.set(item(1, inner: 9))
        #expect(log.values.isEmpty && provider.data == item(2))
        provider.listen(to: 1)
        #expect(provider.data == item(1, inner: 9))
        store.set(item(2, inner: 8))
        #expect(log.values.isEmpty)
    }

    @Test func `two changes in a pause notify once, with the last context`() {
        let provider = provider(item())
        provider.pause()
        store.set(item(part: Part(id: 2, value: 2)), context: "root")
        store.set(Part(id: 11, value: 2), context: "child")
        #expect(provider.data == item() && log.values.isEmpty && provider.isPaused)
        provider.resume()
        #expect(provider.data == store.model(id: 1) && log.contexts == ["child"] && !provider.isPaused)
        provider.resume()
        #expect(log.values.count == 1)
    }

    @Test func `a paused provider shows its own change at once, and the pause goes on from there`() {
        let provider = provider(item())
        provider.pause()
        store.set(item(inner: 1))
        provider.set(item(inner: 2))
        #expect(provider.data == item(inner: 2))
        store.set(item(inner: 3))
        store.set(item(inner: 2))
        provider.resume()
        #expect(log.values.isEmpty, "it cancels out with what it has set itself")
        store.set(item(inner: 4))
        #expect(log.values == [item(inner: 4)])
    }

    @Test func `providers changed by one update were updated at the same time, and times grow`() {
        let (first, second) = (provider(item(1)), DataProvider<Item>(in: store))
        second.set(item(2))
        #expect(first.lastUpdated > .never && second.lastUpdated > first.lastUpdated)
        store.set([item(1, inner: 7), item(2, inner: 7)])
        #expect(first.lastUpdated == second.lastUpdated)
        let before = first.lastUpdated
        first.set(item(1))
        #expect(first.lastUpdated > before && second.lastUpdated == before)
    }

    @Test func `sequences begin with the current value, contain every change, and end with the provider`() async {
        var provider: DataProvider<Item>? = provider(item())
        var (states, events) = (
            provider?.provider.states.makeAsyncIterator(), provider?.provider.values().makeAsyncIterator()
        )
        #expect(await states?.next()?.value == item())
        provider?.set(item(inner: 1), context: "own")
        store.set(Part(id: 11, value: 2), context: "other")
        #expect(await states?.next()?.value == item(inner: 2))
        for context in [nil, "own", "other"] { #expect(await events?.next()?.context as? String == context) }
        provider = nil
        #expect(await states?.next() == nil)
        #expect(await events?.next() == nil)
    }

    @Test func `a released provider is freed, and its delegate is not kept`() {
        weak var released: DataProvider<Item>?
        weak var delegate: DataLog<Item>?
        do {
            let (provider, own) = (DataProvider<Item>(id: 1, in: store), DataLog<Item>())
            provider.delegate = own
            (released, delegate) = (provider, own)
            store.set(item())
        }
        #expect(released == nil && delegate == nil)
    }

    @Test func `a projection's change shows in the others, and one without effect notifies no one`() {
        let (whole, card) = (DataProvider<Animal>(in: store), DataProvider<Card>(in: store))
        let (wholeLog, cardLog) = (DataLog<Animal>(), DataLog<Card>())
        whole.set(Animal(id: 1, name: "a", legs: 4))
        card.set(Card(id: 1, name: "a"))
        (whole.delegate, card.delegate) = (wholeLog, cardLog)
        card.set(Card(id: 1, name: "b"))
        #expect(whole.data == Animal(id: 1, name: "b", legs: 4))
        whole.set(Animal(id: 1, name: "b", legs: 3))
        #expect(cardLog.values.isEmpty && wholeLog.values.count == 1)
    }
}
