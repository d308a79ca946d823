import Cofferdam
import CofferdamSupport
import TestSupport

/// Generates random updates of few models with few values each, so that they often affect the same ones.
struct RandomChanges {
    /// The upper bound of all ids.
    static var idLimit: Int { 12 }

    private var dice: Dice
    /// The id that several consecutive updates change.
    private var focus = 0

    init(seed: UInt64) { dice = Dice(seed: ~seed) }

    /// Returns an update of one to four changes.
    mutating func next(_ model: SlowStore) -> [SlowStore.Change] {
        if dice.roll(6) == 0 { focus = dice.roll(Self.idLimit) }
        return switch dice.roll(6) {
        case 0: restoring(model)
        case 1...2: (0..<(1 + dice.roll(4))).map { _ in randomChange(of: focus) }
        default: (0..<(1 + dice.roll(3))).map { _ in randomChange() }
        }
    }

    /// Removes an element and adds it again, unchanged or nearly so.
    private mutating func restoring(_ model: SlowStore) -> [SlowStore.Change] {
        let id = dice.roll(6)
        switch dice.roll(5) {
        case 0:
            guard let part = model.parts[id] else { return [.setPart(Part(id: id, value: 1)), .removePart(id)] }
            return [dice.roll(2) == 0 ? .setPart(Part(id: id, value: 9)) : .removePart(id), .setPart(part)]
        case 1:
            guard let item = model.items[id] else { return [.setItem(randomItem(id)), .removeItem(id)] }
            return [.removeItem(id), .setItem(dice.roll(2) == 0 ? item : randomItem(id))]
        case 2:
            guard let animal = model.animals[id] else { return [.setCard(randomCard(id)), .removeAnimal(id)] }
            return [.removeAnimal(id), dice.roll(2) == 0 ? .setAnimal(animal) : .setCard(randomCard(id))]
        case 3: return [.setList([]), .setList(model.list)]
        default:
            guard !model.list.isEmpty else { return [.insert(randomItem(id), at: 0), .removeFromList(at: 0)] }
            let index = dice.roll(model.list.count)
            // Inserts it at the same index or the next one.
            return [.removeFromList(at: index), .insert(model.list[index], at: index + dice.roll(2))]
        }
    }

    private mutating func randomChange(of id: Int) -> SlowStore.Change {
        switch dice.roll(7) {
        case 0...1: .removeItem(id)
        case 2...3: .removeEach(id)
        case 4...5: .insert(randomItem(id), at: dice.roll(30))
        default: .setItem(randomItem(id))
        }
    }

    private mutating func randomChange() -> SlowStore.Change {
        switch dice.roll(28) {
        case 0...5: .setPart(randomPart())
        case 6...8: .setBox(randomBox())
        case 9...12: .setItem(randomItem(dice.roll(Self.idLimit)))
        case 13: .removePart(dice.roll(6))
        case 14: .removeBox(dice.roll(6))
        case 15: .removeItem(dice.roll(Self.idLimit))
        case 16: dice.roll(8) == 0 ? .removeAll : .removeItem(dice.roll(Self.idLimit))
        case 17: .setList(randomList())
        case 18...20: .insert(randomItem(dice.roll(Self.idLimit)), at: dice.roll(60))
        case 21...22: .replace(dice.roll(60), by: randomItem(dice.roll(Self.idLimit)))
        case 23: .removeFromList(at: dice.roll(60))
        case 24: .removeAnimal(dice.roll(6))
        case 25: .setAnimal(Animal(id: dice.roll(6), name: "\(dice.roll(3))", legs: dice.roll(2)))
        default: .setCard(randomCard(dice.roll(6)))
        }
    }

    /// Returns a long list that repeats ids, or a short one that does not.
    private mutating func randomList() -> [Item] {
        guard dice.roll(2) == 0 else { return (0..<dice.roll(100)).map { _ in randomItem(dice.roll(Self.idLimit)) } }
        return (0..<Self.idLimit).filter { _ in dice.roll(3) == 0 }.map { randomItem($0) }
    }

    private mutating func randomPart() -> Part { Part(id: dice.roll(6), value: dice.roll(4)) }
    private mutating func randomBox() -> Box { Box(id: dice.roll(6), part: randomPart(), size: dice.roll(2)) }
    private mutating func randomCard(_ id: Int) -> Card { Card(id: id, name: "\(dice.roll(3))") }
    private mutating func randomItem(_ id: Int) -> Item {
        Item(
            id: id,
            name: "\(dice.roll(3))",
            box: randomBox(),
            part: dice.roll(2) == 0 ? randomPart() : nil,
            spares: (0..<dice.roll(3)).map { _ in randomPart() }
        )
    }
}
