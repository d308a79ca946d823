import Cofferdam
import CofferdamSupport
import CofferdamState
import CofferdamStore
import Testing
import TestSupport

/// Runs random programs of providers over one cached store. After each step the providers equal the store, their
/// notifications lead to the same values, and at the end the cache holds them.
@Suite(.serialized) struct ProviderProgramTests {
    @Test(arguments: Soak.seeds, [Store.Retention.everything, .observed])
    func `after any program providers show the right values, and the cache has them`(
        _ seed: UInt64,
        retention: Store.Retention
    ) async throws {
        let program = Program(seed: seed, retention: retention)
        try program.run(steps: 400)
        try await program.checkCache()
    }
}

private final class Program {
    private let kept: Kept
    private var dice: Dice
    private let seed: UInt64
    private let ones: [DataProvider<Item>]
    private let lists: [CollectionDataProvider<Item>]
    private let delivered = DeliveredValues<Int, [Item]>()
    private var tokens: [ListenerToken] = []

    init(seed: UInt64, retention: Store.Retention) {
        self.seed = seed
        let kept = Kept(Store(retention: retention))
        self.kept = kept
        dice = Dice(seed: seed)
        ones = (0..<4).map { _ in DataProvider(in: kept.cached) }
        lists = ["a", "a", "b", "b"].map { CollectionDataProvider(key: $0, in: kept.cached) }
        tokens = lists.enumerated().map { [delivered] number, list in
            list.provider.listen { delivered.apply(number, $0.value) }
        }
    }

    func run(steps: Int) throws {
        // The initial lists, which are saved.
        for list in lists { list.set([]) }
        for step in 0..<steps {
            try change()
            try check(step)
        }
        for provider in ones { provider.resume() }
        for list in lists { list.resume() }
        try check(steps)
        if delivered.hasFailed { throw Failure(description: "seed \(seed): steps that do not lead to the elements") }
        if !kept.failures.entries.isEmpty { throw Failure(description: "seed \(seed): writes failed") }
    }

    private func change() throws {
        let (one, list, item) = (ones[dice.roll(4)], lists[dice.roll(4)], randomItem())
        let index = dice.roll(max(1, list.count))
        switch dice.roll(18) {
        case 0...2: one.set(item)
        case 3: one.listen(to: dice.roll(10))
        case 4: kept.store.set(Part(id: dice.roll(6), value: dice.roll(50)))
        case 5: kept.store.remove(Item.self, id: item.id)
        case 6: kept.store.remove(Part.self, id: dice.roll(6))
        case 7 where !list.isPaused: list.set((0..<dice.roll(8)).map { _ in randomItem() })
        case 8...9:
            list.append([item])
            try requireKnown(item.id, in: list)
        case 10:
            try list.insert([item], at: index)
            try requireKnown(item.id, in: list)
        case 11 where index < list.count && !list.isPaused: try list.replace(at: index, by: item)
        case 12 where index < list.count && !list.isPaused: try list.remove(at: index)
        case 13: if list.isPaused { list.resume() } else { list.pause() }
        case 14: if one.isPaused { one.resume() } else { one.pause() }
        case 15 where !list.isPaused:
            try takeOut(item, of: list)
            list.set(list.data.dropLast())
        case 16:
            try takeOut(item, of: list)
            list.append([item])
            try requireKnown(item.id, in: list)
        default: kept.store.set(item)
        }
    }

    /// Changes or removes the item in the update that takes it out of the list. The list is saved when a provider next
    /// changes it.
    private func takeOut(_ item: Item, of list: CollectionDataProvider<Item>) throws {
        let collection = StoreCollection<Item>(key: list.key, in: kept.store)
        let isRemoved = dice.roll(2) == 0
        var result: Result<Void, any Error> = .success(())
        kept.store.update { update in
            if isRemoved { update.remove(Item.self, id: item.id) } else { update.set(item) }
            let elements = update.elements(of: collection)
            result = Result {
                for index in elements.indices.reversed() where elements[index].id == item.id {
                    try update.remove(at: index, in: collection)
                }
            }
        }
        try result.get()
    }

    private func requireKnown(_ id: Int, in list: CollectionDataProvider<Item>) throws {
        if list.data.contains(where: { $0.id == id }) { return }
        throw Failure(description: "seed \(seed): an element that was put in a list is not there")
    }

    private func check(_ step: Int) throws {
        func require(_ isRight: Bool, _ what: String) throws {
            if !isRight { throw Failure(description: "seed \(seed), step \(step): \(what)") }
        }
        for (number, one) in ones.enumerated() where !one.isPaused {
            let truth = one.modelIdentifier.flatMap { kept.store.model(Item.self, id: $0) }
            try require(one.data == truth, "provider \(number)")
        }
        for (number, list) in lists.enumerated() where !list.isPaused {
            let truth = StoreCollection<Item>(key: list.key, in: kept.store).elements
            try require(list.data == truth, "list \(number)")
            try require(delivered.last(number) == Array(truth), "what was delivered of list \(number)")
            for item in truth {
                try require(kept.store.model(Item.self, id: item.id) == item, "an element of list \(number)")
            }
        }
    }

    func checkCache() async throws {
        let cold = try await kept.flushed()
        for key in ["a", "b"] {
            let live = StoreCollection<Item>(key: key, in: kept.store).elements
            let list = CollectionDataProvider<Item>(key: key, in: cold)
            guard try await list.fetch() == live else {
                throw Failure(description: "seed \(seed): the kept list \(key)")
            }
        }
        for one in ones {
            guard let item = one.data else { continue }
            guard try await DataProvider<Item>(in: cold).fetch(item.id).map({ $0 == item }) ?? true else {
                throw Failure(description: "seed \(seed): the kept item \(item.id)")
            }
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private func randomItem() -> Item {
        Item(
            id: dice.roll(10),
            name: "\(dice.roll(3))",
            box: Box(id: dice.roll(6), part: randomPart()),
            part: dice.roll(2) == 0 ? randomPart() : nil,
            spares: (0..<dice.roll(3)).map { _ in randomPart() }
        )
    }

    private func randomPart() -> Part { Part(id: dice.roll(6), value: dice.roll(50)) }
}
