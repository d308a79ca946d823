import Cofferdam
import CofferdamStore
import Testing

/// Random programs against the obvious model: after each step the store says what the model says, and so does what each
/// listener was told last.
@Suite(.serialized) struct StoreProgramTests {
    @Test(arguments: Soak.seeds)
    func `after any program every listener ends with the model's truth`(_ seed: UInt64) async throws {
        try await onOwnThread { Result { try Program(seed: seed).run(steps: 1000) } }.get()
    }
}

private final class Program {
    private let store = Store()
    private var model = SlowStore()
    private let collection: StoreCollection<Item>
    private let sibling: StoreCollection<Item>
    private var dice: Dice
    private let seed: UInt64

    private let parts = Told<Int, Part?>()
    private let boxes = Told<Int, Box?>()
    private let items = Told<Int, Item?>()
    private let lists = Told<Int, [Item]>()
    private var tokens: [StoreListening] = []

    init(seed: UInt64) {
        self.seed = seed
        dice = Dice(seed: seed)
        collection = StoreCollection(key: "list", in: store)
        sibling = StoreCollection(key: "list", in: store)
    }

    func run(steps: Int) throws {
        for id in 0..<12 {
            tokens.append(store.listen(Part.self, id: id) { [parts] in parts.add(id, $0.value) })
            tokens.append(store.listen(Box.self, id: id) { [boxes] in boxes.add(id, $0.value) })
            tokens.append(store.listen(Item.self, id: id) { [items] in items.add(id, $0.value) })
        }
        tokens.append(sibling.listen { [lists] in lists.apply(0, $0.value) })
        for step in 0..<steps {
            let changes = (0..<(1 + dice.roll(3))).map { _ in randomChange() }
            try apply(changes)
            model.update(changes)
            if dice.roll(4) == 0 {
                let token = tokens[dice.roll(tokens.count)]
                if token.isPaused { token.resume() } else { token.pause() }
            }
            try check(step, changes, isPausedChecked: false)
        }
        for token in tokens { token.resume() }
        try check(steps, [], isPausedChecked: true)
    }

    private func apply(_ changes: [SlowStore.Change]) throws {
        var result: Result<Void, any Error> = .success(())
        store.update { update in
            result = Result { for change in changes { try apply(change, update) } }
        }
        try result.get()
    }

    private func apply(_ change: SlowStore.Change, _ update: borrowing StoreUpdate) throws {
        switch change {
        case .setPart(let part): update.set(part)
        case .setBox(let box): update.set(box)
        case .setItem(let item): update.set(item)
        case .removePart(let id): update.remove(Part.self, id: id)
        case .removeBox(let id): update.remove(Box.self, id: id)
        case .removeItem(let id): update.remove(Item.self, id: id)
        case .removeAll: update.removeAll()
        case .setList(let items): update.set(items, in: collection, inSteps: items.count.isMultiple(of: 2))
        case .insert(let item, let index):
            let count = update.elements(of: collection).count
            try update.insert(item, at: min(index, count), in: collection)
        case .replace(let index, let item):
            guard index < update.elements(of: collection).count else { break }
            try update.replace(at: index, by: item, in: collection)
        case .removeFromList(let index):
            guard index < update.elements(of: collection).count else { break }
            try update.remove(at: index, in: collection)
        }
    }

    private func check(_ step: Int, _ changes: [SlowStore.Change], isPausedChecked: Bool) throws {
        if let problem = problem(isPausedChecked: isPausedChecked) {
            throw Failure(description: "seed \(seed), step \(step): \(problem) after \(changes)")
        }
    }

    private func problem(isPausedChecked: Bool) -> String? {
        for id in 0..<12 {
            if store.model(Part.self, id: id) != model.parts[id] { return "part \(id)" }
            if store.model(Box.self, id: id) != model.boxes[id] { return "box \(id)" }
            if store.model(Item.self, id: id) != model.items[id] { return "item \(id)" }
            guard isPausedChecked else { continue }
            if parts.last(id) != .some(model.parts[id]) { return "the listener of part \(id)" }
            if boxes.last(id) != .some(model.boxes[id]) { return "the listener of box \(id)" }
            if items.last(id) != .some(model.items[id]) { return "the listener of item \(id)" }
        }
        if !collection.elements.elementsEqual(model.list) { return "the list" }
        if isPausedChecked, lists.last(0) != model.list { return "the list's listener" }
        if parts.hasRepeated || boxes.hasRepeated || items.hasRepeated { return "told the same twice" }
        return lists.hasFailed ? "the list's steps" : nil
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private func randomChange() -> SlowStore.Change {
        switch dice.roll(24) {
        case 0...5: .setPart(randomPart())
        case 6...8: .setBox(randomBox())
        case 9...12: .setItem(randomItem())
        case 13: .removePart(dice.roll(6))
        case 14: .removeBox(dice.roll(6))
        case 15: .removeItem(dice.roll(12))
        case 16: dice.roll(8) == 0 ? .removeAll : .removeItem(dice.roll(12))
        case 17: .setList((0..<dice.roll(100)).map { _ in randomItem() })
        case 18...20: .insert(randomItem(), at: dice.roll(60))
        case 21...22: .replace(dice.roll(60), by: randomItem())
        default: .removeFromList(at: dice.roll(60))
        }
    }

    private func randomPart() -> Part { Part(id: dice.roll(6), value: dice.roll(4)) }
    private func randomBox() -> Box { Box(id: dice.roll(6), part: randomPart(), size: dice.roll(2)) }
    private func randomItem() -> Item {
        Item(
            id: dice.roll(12),
            name: "\(dice.roll(3))",
            box: randomBox(),
            part: dice.roll(2) == 0 ? randomPart() : nil,
            spares: (0..<dice.roll(3)).map { _ in randomPart() }
        )
    }
}
