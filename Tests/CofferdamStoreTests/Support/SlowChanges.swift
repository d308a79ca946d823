import CofferdamStore

/// The changes between two states, found by comparing everything.
struct SlowChanges: Equatable {
    private struct Ids: Equatable {
        var parts: Set<Int> = []
        var boxes: Set<Int> = []
        var items: Set<Int> = []
        var animals: Set<Int> = []
    }

    private var updated = Ids()
    private var deleted = Ids()

    init(from old: SlowStore, to new: SlowStore) {
        (updated.parts, deleted.parts) = Self.changes(from: old.parts, to: new.parts)
        (updated.boxes, deleted.boxes) = Self.changes(from: old.boxes, to: new.boxes)
        (updated.items, deleted.items) = Self.changes(from: old.items, to: new.items)
        // An entity may be known by one projection before and by the other after.
        for id in Set(old.animals.keys).union(old.cards.keys) {
            if new.animals[id] == nil, new.cards[id] == nil {
                deleted.animals.insert(id)
            } else if let animal = old.animals[id], animal != new.animals[id] {
                updated.animals.insert(id)
            } else if let card = old.cards[id], card != new.cards[id] {
                updated.animals.insert(id)
            }
        }
    }

    init(_ changes: StoreChanges) {
        updated = Ids(
            parts: changes.updated(Part.self),
            boxes: changes.updated(Box.self),
            items: changes.updated(Item.self),
            animals: changes.updated(Animal.self)
        )
        deleted = Ids(
            parts: changes.deleted(Part.self),
            boxes: changes.deleted(Box.self),
            items: changes.deleted(Item.self),
            animals: changes.deleted(Animal.self)
        )
    }

    private static func changes<Model: Equatable>(
        from old: [Int: Model],
        to new: [Int: Model]
    ) -> (updated: Set<Int>, deleted: Set<Int>) {
        let updated = old.filter { id, model in new[id].map { $0 != model } ?? false }
        return (Set(updated.keys), Set(old.keys.filter { new[$0] == nil }))
    }
}
