import Cofferdam
import CofferdamSupport
import CofferdamStore
import Testing
import TestSupport

/// Runs random programs of changes with and without the cache, across several launches, and compares the cache with the
/// store.
@Suite struct KeptProgramTests {
    private static func part(_ dice: inout Dice) -> Part { Part(id: dice.roll(4), value: dice.roll(1000)) }

    private static func box(_ dice: inout Dice) -> Box { Box(id: dice.roll(3), part: part(&dice), size: dice.roll(3)) }

    private static func item(_ dice: inout Dice) -> Item {
        Item(
            id: dice.roll(3),
            name: "\(dice.roll(3))",
            box: box(&dice),
            part: dice.roll(2) == 0 ? part(&dice) : nil,
            spares: (0..<dice.roll(3)).map { _ in part(&dice) }
        )
    }

    /// - Parameter kept: the ids of the models that were saved and not removed from the cache since.
    private static func change<Model: CachedModel>(
        _ model: Model,
        in cached: CachedStore,
        _ kept: inout Set<Int>,
        _ dice: inout Dice
    ) where Model.ID == Int {
        switch dice.roll(6) {
        case 0...1:
            cached.set(model)
            kept.insert(model.id)
        case 2...3: cached.store.set(model)
        case 4: cached.store.remove(Model.self, id: model.id)
        default:
            cached.remove(Model.self, id: model.id)
            kept.remove(model.id)
        }
    }

    private static func expect<Model: CachedModel>(
        _ type: Model.Type,
        _ ids: Set<Int>,
        of cached: CachedStore,
        in kept: Kept
    )
        async throws where Model.ID == Int
    {
        for id in ids {
            let read = try await DataProvider<Model>(in: kept.reopened()).fetch(id)
            #expect(read == cached.store.model(id: id), "\(type) \(id)")
        }
    }

    @Test(arguments: Soak.seeds)
    func `after random changes over several launches the cache has what the store has`(_ seed: UInt64) async throws {
        var dice = Dice(seed: seed)
        let kept = Kept()
        for _ in 0..<5 {
            let cached = kept.reopened()
            var (parts, boxes, items) = (Set<Int>(), Set<Int>(), Set<Int>())
            for _ in 0..<8 {
                for _ in 0..<dice.roll(8) {
                    switch dice.roll(3) {
                    case 0: Self.change(Self.part(&dice), in: cached, &parts, &dice)
                    case 1: Self.change(Self.box(&dice), in: cached, &boxes, &dice)
                    default: Self.change(Self.item(&dice), in: cached, &items, &dice)
                    }
                }
                try await cached.written()
                try await Self.expect(Part.self, parts, of: cached, in: kept)
                try await Self.expect(Box.self, boxes, of: cached, in: kept)
                try await Self.expect(Item.self, items, of: cached, in: kept)
            }
        }
        #expect(kept.failures.entries.isEmpty)
    }
}
