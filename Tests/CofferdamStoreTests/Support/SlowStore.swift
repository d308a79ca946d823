/// A simple model of a store: it holds everything in dictionaries, and recomputes everything after each update.
struct SlowStore: Equatable {
    var parts: [Int: Part] = [:]
    var boxes: [Int: Box] = [:]
    var items: [Int: Item] = [:]
    /// Two projections of one entity.
    var animals: [Int: Animal] = [:]
    var cards: [Int: Card] = [:]
    var list: [Item] = []
    /// The number of updates.
    var updates = 0

    enum Change {
        case setPart(Part)
        case setBox(Box)
        case setItem(Item)
        case setAnimal(Animal)
        case setCard(Card)
        case removePart(Int)
        case removeBox(Int)
        case removeItem(Int)
        case removeAnimal(Int)
        case removeAll
        case setList([Item])
        case insert(Item, at: Int)
        case replace(Int, by: Item)
        case removeFromList(at: Int)
        /// Removes every occurrence of the id from the list.
        case removeEach(Int)
    }

    /// Creates a store with the results of these changes.
    init(_ changes: [Change] = []) {
        for change in changes { apply(change) }
    }

    /// Makes the changes as one update.
    ///
    /// - Returns: the net effect.
    mutating func update(_ changes: [Change]) -> SlowChanges {
        let old = self
        updates += 1
        for change in changes { apply(change) }
        while case let before = self, case () = recompute(), self != before {}
        return SlowChanges(from: old, to: self)
    }

    private mutating func apply(_ change: Change) {
        switch change {
        case .setPart(let part): parts[part.id] = part
        case .setBox(let box): set(box)
        case .setItem(let item): set(item)
        case .setAnimal(let animal):
            animals[animal.id] = animal
            cards[animal.id]?.name = animal.name
        case .setCard(let card):
            cards[card.id] = card
            animals[card.id]?.name = card.name
        case .removePart(let id): parts[id] = nil
        case .removeBox(let id): boxes[id] = nil
        case .removeItem(let id): items[id] = nil
        case .removeAnimal(let id): (animals[id], cards[id]) = (nil, nil)
        case .removeAll: (parts, boxes, items, animals, cards) = ([:], [:], [:], [:], [:])
        case .setList(let new):
            list = new
            for item in new { set(item) }
        case .insert(let item, let index):
            set(item)
            list.insert(item, at: min(index, list.count))
        case .replace(let index, let item):
            guard index < list.count else { return }
            set(item)
            list[index] = item
        case .removeFromList(let index):
            if index < list.count { list.remove(at: index) }
        case .removeEach(let id): list.removeAll { $0.id == id }
        }
    }

    /// Sets an item and its parts. If it contains two values of one part, the first counts.
    private mutating func set(_ item: Item) {
        items[item.id] = item
        boxes[item.box.id] = item.box
        var seen: Set<Int> = []
        for part in item.allParts where seen.insert(part.id).inserted { parts[part.id] = part }
    }

    private mutating func set(_ box: Box) {
        boxes[box.id] = box
        parts[box.part.id] = box.part
    }

    private mutating func recompute() {
        for (id, box) in boxes {
            boxes[id]?.part = parts[box.part.id] ?? box.part
            if parts[box.part.id] == nil { boxes[id] = nil }
        }
        for (id, item) in items {
            guard let box = boxes[item.box.id] else {
                items[id] = nil
                continue
            }
            items[id]?.box = box
            items[id]?.part = item.part.flatMap { parts[$0.id] }
            items[id]?.spares = item.spares.compactMap { parts[$0.id] }
        }
        list = list.compactMap { items[$0.id] }
    }

    // MARK: Forgetting

    /// The models that have listeners.
    struct Roots {
        var parts: Set<Int> = []
        var boxes: Set<Int> = []
        var items: Set<Int> = []
        var animals: Set<Int> = []
    }

    /// Forgets all models except those with listeners, those in the list, and their children.
    mutating func forget(allBut roots: Roots) {
        let ids = roots.items.union(list.map(\.id))
        items = items.filter { ids.contains($0.key) }
        boxes = boxes.filter { id, _ in roots.boxes.contains(id) || items.values.contains { $0.box.id == id } }
        let held = items.values.flatMap(\.allParts) + boxes.values.map(\.part)
        let partIDs = roots.parts.union(held.map(\.id))
        parts = parts.filter { partIDs.contains($0.key) }
        animals = animals.filter { roots.animals.contains($0.key) }
        cards = cards.filter { roots.animals.contains($0.key) }
    }
}

extension Item {
    fileprivate var allParts: [Part] { [box.part] + (part.map { [$0] } ?? []) + spares }
}
