/// The obvious model of a store: everything in dictionaries, and everything recomputed after each update.
struct SlowStore: Equatable {
    var parts: [Int: Part] = [:]
    var boxes: [Int: Box] = [:]
    var items: [Int: Item] = [:]
    var list: [Item] = []

    enum Change {
        case setPart(Part)
        case setBox(Box)
        case setItem(Item)
        case removePart(Int)
        case removeBox(Int)
        case removeItem(Int)
        case removeAll
        case setList([Item])
        case insert(Item, at: Int)
        case replace(Int, by: Item)
        case removeFromList(at: Int)
    }

    mutating func update(_ changes: [Change]) {
        for change in changes { apply(change) }
        while case let before = self, case () = recompute(), self != before {}
    }

    private mutating func apply(_ change: Change) {
        switch change {
        case .setPart(let part): parts[part.id] = part
        case .setBox(let box): set(box)
        case .setItem(let item): set(item)
        case .removePart(let id): parts[id] = nil
        case .removeBox(let id): boxes[id] = nil
        case .removeItem(let id): items[id] = nil
        case .removeAll: (parts, boxes, items) = ([:], [:], [:])
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
        }
    }

    /// Of two values of one part in one item, the first counts.
    private mutating func set(_ item: Item) {
        items[item.id] = item
        boxes[item.box.id] = item.box
        var seen: Set<Int> = []
        for part in [item.box.part] + (item.part.map { [$0] } ?? []) + item.spares
        where seen.insert(part.id).inserted {
            parts[part.id] = part
        }
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
}
