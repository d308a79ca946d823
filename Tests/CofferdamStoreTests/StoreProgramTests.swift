import Cofferdam
import CofferdamSupport
import CofferdamState
import CofferdamStore
import Testing
import TestSupport

/// Runs random programs against a simple model. After each step the store equals the model, and each listener was
/// notified exactly once of each change made by others.
@Suite(.serialized) struct StoreProgramTests {
    @Test(arguments: Soak.seeds, [Store.Retention.everything, .observed])
    func `after any program every listener ends with the model's value`(
        _ seed: UInt64,
        _ retention: Store.Retention
    ) async throws {
        try await onOwnThread { Result { try StoreProgram(seed, retention).run(steps: 400) } }.get()
    }
}

private final class StoreProgram {
    private let store: Store
    private let retention: Store.Retention
    private var model = SlowStore()
    private let collection: StoreCollection<Item>
    private let sibling: StoreCollection<Item>
    private var changes: RandomChanges
    private var dice: Dice
    private let seed: UInt64
    private let updates = Log<Int>()

    private var listeners: [any AnySlowListener] = []
    private let lists = DeliveredValues<Int, [Item]>()
    private var sorted: [(list: DerivedCollection<Item>, key: Int, token: ListenerToken)] = []
    private var made = 0
    /// The listener that is the origin of the last update.
    private var origin: Int?

    init(_ seed: UInt64, _ retention: Store.Retention) {
        self.seed = seed
        self.retention = retention
        store = Store(retention: retention)
        dice = Dice(seed: seed)
        changes = RandomChanges(seed: seed)
        collection = StoreCollection(key: "list", in: store)
        sibling = StoreCollection(key: "list", in: store)
    }

    func run(steps: Int) throws {
        // Some models have no listener, so the store may release them, and they may be set again.
        listeners = (0..<16).map { _ in randomListener() }
        sorted = (0..<3).map { _ in randomSorting() }
        for step in 0..<steps {
            let changes = changes.next(model)
            do {
                try update(changes, context: dice.roll(4) == 0 ? nil : step)
                try checkListeners()
                listenDifferently()
                try check()
            } catch {
                throw Failure(description: "seed \(seed), \(retention), step \(step): \(error) after \(changes)")
            }
        }
        for listener in listeners where listener.listening.isPaused { listener.togglePause(model) }
        try check()
    }

    // MARK: Changing

    private func update(_ changes: [SlowStore.Change], context: Int?) throws {
        origin = dice.roll(3) == 0 ? dice.roll(listeners.count) : nil
        updates.add(model.updates + 1)
        var result: Result<Void, any Error> = .success(())
        store.update(context: context, origin: origin.map { listeners[$0].listening }) { update in
            result = Result { for change in changes { try apply(change, update) } }
        }
        try result.get()
        let old = model
        let net = model.update(changes)
        for (number, listener) in listeners.enumerated() {
            listener.follow(from: old, to: model, net, context: context, isOwn: number == origin)
        }
        forget()
    }

    private func apply(_ change: SlowStore.Change, _ update: borrowing StoreUpdate) throws {
        let list = update.elements(of: collection)
        switch change {
        case .setPart(let part): update.set(part)
        case .setBox(let box): update.set(box)
        case .setItem(let item): update.set(item)
        case .setAnimal(let animal): update.set(animal)
        case .setCard(let card): update.set(card)
        case .removePart(let id): update.remove(Part.self, id: id)
        case .removeBox(let id): update.remove(Box.self, id: id)
        case .removeItem(let id): update.remove(Item.self, id: id)
        case .removeAnimal(let id): update.remove(Card.self, id: id)
        case .removeAll: update.removeAll()
        case .setList(let items): update.set(items, in: collection, inSteps: items.count.isMultiple(of: 2))
        case .insert(let item, let index): try update.insert(item, at: min(index, list.count), in: collection)
        case .replace(let index, let item):
            if index < list.count { try update.replace(at: index, by: item, in: collection) }
        case .removeFromList(let index):
            if index < list.count { try update.remove(at: index, in: collection) }
        case .removeEach(let id):
            for index in list.indices.reversed() where list[index].id == id {
                try update.remove(at: index, in: collection)
            }
        }
    }

    private func forget() {
        guard retention == .observed else { return }
        var roots = SlowStore.Roots()
        for listener in listeners {
            roots.parts.formUnion(listener.roots.parts)
            roots.boxes.formUnion(listener.roots.boxes)
            roots.items.formUnion(listener.roots.items)
            roots.animals.formUnion(listener.roots.animals)
        }
        model.forget(allBut: roots)
    }

    // MARK: Listening

    private func listenDifferently() {
        if dice.roll(2) == 0 { listeners[dice.roll(listeners.count)].togglePause(model) }
        // A pause of no duration, possibly between two of the listener's own changes.
        let number = origin ?? dice.roll(listeners.count)
        if dice.roll(4) == 0 { for _ in 0..<2 { listeners[number].togglePause(model) } }
        if dice.roll(5) == 0 {
            let number = dice.roll(listeners.count)
            listeners[number].listening.cancel()
            listeners.remove(at: number)
            forget()
            listeners.append(randomListener())
        }
        if dice.roll(10) == 0 { sorted[dice.roll(sorted.count)] = randomSorting() }
    }

    private func randomListener() -> any AnySlowListener {
        made += 1
        let id = dice.roll(RandomChanges.idLimit)
        switch dice.roll(9) {
        case 0:
            return listener(Part.self, id, .init(parts: [id])) {
                $0.parts[id]
            } contents: {
                [.setPart($0)]
            }
        case 1:
            return listener(Box.self, id, .init(boxes: [id])) {
                $0.boxes[id]
            } contents: {
                [.setBox($0)]
            }
        case 2...3:
            return listener(Item.self, id, .init(items: [id])) {
                $0.items[id]
            } contents: {
                [.setItem($0)]
            }
        case 4:
            return listener(Animal.self, id, .init(animals: [id])) {
                $0.animals[id]
            } contents: {
                [.setAnimal($0)]
            }
        case 5:
            return listener(Card.self, id, .init(animals: [id])) {
                $0.cards[id]
            } contents: {
                [.setCard($0)]
            }
        case 6...7: return listListener()
        default:
            return SlowListener("the listener of updates", in: model) {
                $0.updates
            } contents: { _ in
                SlowStore()
            } read: { [updates] _ in
                updates.entries.last ?? 0
            } listen: {
                store.listenToUpdates($0)
            }
        }
    }

    private func listener<Model: StoreModel>(
        _ type: Model.Type,
        _ id: Int,
        _ roots: SlowStore.Roots,
        truth: @escaping (SlowStore) -> Model?,
        contents: @escaping (Model) -> [SlowStore.Change]
    ) -> any AnySlowListener where Model.ID == Int {
        SlowListener("the listener of \(type) \(id)", roots: roots, in: model, truth: truth) {
            SlowStore($0.map(contents) ?? [])
        } read: {
            $0.value
        } listen: {
            store.listen(type, id: id, $0)
        }
    }

    private func listListener() -> any AnySlowListener {
        SlowListener("the listener of the list", in: model) {
            $0.list
        } contents: {
            SlowStore([.setList($0)])
        } read: { [lists, made] event in
            lists.apply(made, event.value)
            return Array(event.value.elements)
        } onOwnChange: { [lists, made] in
            lists.knows(made, $0)
        } listen: {
            sibling.listen($0)
        }
    }

    /// Orders by a property that many elements share, so that the order leaves ties.
    private static func isBefore(_ key: Int, _ first: Item, _ second: Item) -> Bool {
        key == 0 ? first.name < second.name : first.spares.count < second.spares.count
    }

    private func randomSorting() -> (list: DerivedCollection<Item>, key: Int, token: ListenerToken) {
        made += 1
        let key = dice.roll(2)
        let list = sibling.sorted { Self.isBefore(key, $0, $1) }
        return (list, key, list.provider.listen { [lists, made] in lists.apply(made, $0.value) })
    }

    // MARK: Checking

    private func check() throws {
        for id in 0..<RandomChanges.idLimit {
            if store.model(Part.self, id: id) != model.parts[id] { throw Failure(description: "part \(id)") }
            if store.model(Box.self, id: id) != model.boxes[id] { throw Failure(description: "box \(id)") }
            if store.model(Item.self, id: id) != model.items[id] { throw Failure(description: "item \(id)") }
            if store.model(Animal.self, id: id) != model.animals[id] { throw Failure(description: "animal \(id)") }
            if store.model(Card.self, id: id) != model.cards[id] { throw Failure(description: "card \(id)") }
        }
        if !collection.elements.elementsEqual(model.list) { throw Failure(description: "the list") }
        try checkListeners()
        for (list, key, _) in sorted {
            let expected = model.list.enumerated().sorted { first, second in
                Self.isBefore(key, first.element, second.element)
                    || (!Self.isBefore(key, second.element, first.element) && first.offset < second.offset)
            }
            if !list.elements.elementsEqual(expected.map(\.element)) { throw Failure(description: "a sorted list") }
        }
        if lists.hasFailed { throw Failure(description: "a list's steps") }
        if lists.hasRepeated { throw Failure(description: "a list that was delivered twice") }
    }

    private func checkListeners() throws {
        for listener in listeners {
            if let problem = listener.problem { throw Failure(description: problem) }
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
