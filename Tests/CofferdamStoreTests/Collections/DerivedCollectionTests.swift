import Cofferdam
import CofferdamSupport
import CofferdamState
import CofferdamStore
import Testing
import TestSupport

/// Checks lists derived from another list: sorted, filtered, both, and derived from derived ones.
@Suite struct DerivedCollectionTests {
    private let store = Store()

    private func log(_ list: DerivedCollection<Part>) -> (Log<CollectionState<Part>>, ListenerToken) {
        let log = Log<CollectionState<Part>>()
        return (log, list.provider.listen { log.add($0.value) })
    }

    @Test func `a sorted list keeps the list's order among equal elements`() {
        let list = StoreCollection([Part(id: 1, value: 2), Part(id: 2, value: 1), Part(id: 3, value: 2)], in: store)
        let sorted = list.sorted { $0.value < $1.value }
        #expect(sorted.elements.map(\.id) == [2, 1, 3])
        list.append([Part(id: 4, value: 1)])
        #expect(sorted.elements.map(\.id) == [2, 4, 1, 3])
    }

    @Test func `equal elements keep the list's order, whenever it was sorted`() throws {
        let list = StoreCollection((1...4).map { Part(id: $0, value: $0 % 2) }, in: store)
        let early = list.sorted { $0.value < $1.value }
        let derived = list.filtered { $0.id != 4 }.sorted { $0.value < $1.value }
        try list.insert(Part(id: 5, value: 1), at: 0)
        #expect(early.elements.map(\.id) == [2, 4, 5, 1, 3])
        try list.insert(Part(id: 6, value: 0), at: 3)
        store.update { update in
            let id = update.elements(of: list)[4].id
            #expect(throws: Never.self) {
                try update.remove(at: 4, in: list)
                try update.insert(Part(id: id, value: 1), at: 0, in: list)
            }
        }
        #expect(list.elements.map(\.id) == [3, 5, 1, 2, 6, 4])
        #expect(early.elements == list.sorted { $0.value < $1.value }.elements)
        #expect(early.elements.map(\.id) == [2, 6, 4, 3, 5, 1] && derived.elements.map(\.id) == [2, 6, 3, 5, 1])
    }

    @Test func `a move without effect on the order notifies no one`() throws {
        let list = StoreCollection((0..<5).map { Part(id: $0, value: $0) }, in: store)
        let sorted = list.sorted { $0.value < $1.value }
        let (log, token) = log(sorted)
        list.set((0..<5).reversed().map { Part(id: $0, value: $0) }, inSteps: true)
        #expect(log.entries.count == 1 && sorted.elements.map(\.id) == Array(0..<5))
        token.cancel()
    }

    @Test func `a change that moves an element is a removal and an insertion, any other an update`() throws {
        let list = StoreCollection((0..<5).map { Part(id: $0, value: $0 * 10) }, in: store)
        let sorted = list.sorted { $0.value > $1.value }
        let (log, token) = log(sorted)
        store.set(Part(id: 0, value: 35))
        store.set(Part(id: 1, value: 11))
        try list.remove(at: 4)
        #expect(sorted.elements.map(\.id) == [0, 3, 2, 1])
        #expect(
            log.entries.dropFirst().map(\.change) == [
                .steps([.remove(at: 4), .insert(at: 1)]), .steps([.update(at: 4)]), .steps([.remove(at: 0)]),
            ]
        )
        token.cancel()
    }

    @Test func `in a filtered list an element appears and disappears, and hidden changes notify no one`() throws {
        let list = StoreCollection((0..<6).map { Part(id: $0, value: $0 % 2) }, in: store)
        let filtered = list.filtered { $0.value == 1 }
        let (log, token) = log(filtered)
        #expect(filtered.elements.map(\.id) == [1, 3, 5])
        store.set(Part(id: 2, value: 1))
        store.set(Part(id: 1, value: 0))
        store.set(Part(id: 0, value: 8))
        try list.insert(Part(id: 9, value: 0), at: 0)
        try list.remove(at: 1)
        #expect(filtered.elements.map(\.id) == [2, 3, 5])
        #expect(log.entries.dropFirst().map(\.change) == [.steps([.insert(at: 1)]), .steps([.remove(at: 0)])])
        token.cancel()
    }

    @Test func `events have the update's changes and context`() async {
        let list = StoreCollection(parts([1, 2]), in: store)
        let filtered = list.filtered { $0.value == 0 }
        var events = filtered.provider.values().makeAsyncIterator()
        _ = await events.next()
        store.set(Part(id: 1, value: 1), context: "why")
        let event = await events.next()
        #expect(event?.context as? String == "why" && event?.changes.updated(Part.self) == [1])
    }

    @Test func `lists can be derived from a provider's list and a derived one, and a pause applies there too`() {
        let list = CollectionDataProvider<Part>(key: "k", in: store)
        let derived = list.filtered { $0.value < 5 }.sorted { $0.value < $1.value }
        list.set([4, 9, 2].map { Part(id: $0, value: $0) })
        #expect(derived.elements.map(\.id) == [2, 4])
        list.pause()
        store.set(Part(id: 9, value: 3))
        #expect(derived.elements.map(\.id) == [2, 4])
        list.resume()
        #expect(derived.elements.map(\.id) == [2, 9, 4])
        CollectionDataProvider<Part>(key: "k", in: store).append([Part(id: 1, value: 1)])
        list.pause()
        CollectionDataProvider<Part>(key: "k", in: store).append([Part(id: 0, value: 0)])
        list.append([Part(id: 5, value: 0)])
        #expect(derived.elements.map(\.id) == [0, 5, 1, 2, 9, 4])
    }

    @Test func `an order that contradicts itself loses no element`() throws {
        let list = StoreCollection(parts(0..<100), in: store)
        let sorted = list.sorted { ($0.value + $0.id * 7) % 5 < ($1.value + $1.id * 3) % 5 }
        for id in 0..<100 { store.set(Part(id: id, value: id)) }
        for _ in 0..<40 { try list.remove(at: 3) }
        #expect(sorted.elements.map(\.id).sorted() == list.elements.map(\.id).sorted())
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `after any changes it is what sorting and filtering the list would give, and its steps lead there`(
        _ seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        let list = StoreCollection<Part>(in: store)
        let isShown: @Sendable (Part) -> Bool = { $0.value % 3 != 0 }
        let isBefore: @Sendable (Part, Part) -> Bool = { ($0.value, $0.id) < ($1.value, $1.id) }
        let derived = [list.filtered(isShown), list.sorted(by: isBefore), list.filtered(isShown).sorted(by: isBefore)]
        let delivered = DeliveredValues<Int, [Part]>()
        let tokens = derived.enumerated().map { number, list in
            list.provider.listen { delivered.apply(number, $0.value) }
        }
        var count = 0
        for _ in 0..<300 {
            store.update { update in
                for _ in 0..<(dice.roll(10) == 0 ? 400 : 1 + dice.roll(5)) {
                    let part = Part(id: dice.roll(300), value: dice.roll(20))
                    let length = update.elements(of: list).count
                    do {
                        switch dice.roll(12) {
                        case 0: update.remove(Part.self, id: part.id)
                        case 1...2 where length > 0: try update.remove(at: dice.roll(length), in: list)
                        case 3...4 where length > 0: try update.replace(at: dice.roll(length), by: part, in: list)
                        case 5...7: try update.insert(part, at: dice.roll(length + 1), in: list)
                        case 8 where dice.roll(20) == 0: update.set([part], in: list)
                        default: update.set(part)
                        }
                    } catch { Issue.record(error) }
                }
            }
            let elements = Array(list.elements)
            count = max(count, elements.count)
            #expect(Array(derived[0].elements) == elements.filter(isShown))
            // If an id occurs several times, equal values are adjacent.
            #expect(Array(derived[1].elements) == elements.sorted(by: isBefore))
            #expect(Array(derived[2].elements) == elements.filter(isShown).sorted(by: isBefore))
            for number in derived.indices { #expect(delivered.last(number) == Array(derived[number].elements)) }
        }
        #expect(!delivered.hasFailed && count > 50)
        for token in tokens { token.cancel() }
    }
}
