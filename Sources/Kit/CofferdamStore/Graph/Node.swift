/// One thing, by its entity and id: its projections, and who holds it.
///
/// Proof of `@unchecked Sendable`, for it, what holds it and its ``Graph``: they are reached only through the graph, and touched
/// only while the store's lock is held. What is read elsewhere, the id, never changes.
class Node: @unchecked Sendable {
    /// One for each projection that is kept; nearly always one.
    final private(set) var slots: [AnySlot] = []
    /// Who is to be rewritten when this changes.
    final var parents: [Edge] = []
    /// Kept without listeners and parents.
    final var isPinned = false
    /// Whether a value of it is being taken in: one inside of it, by its own id, is not.
    final var isBeingAbsorbed = false

    fileprivate init() {}

    final func slot<Model: StoreModel>(of type: Model.Type) -> Slot<Model>? {
        let key = ObjectIdentifier(type)
        // A slot's key is the type it was made with.
        for slot in slots where slot.modelType == key { return unsafeDowncast(slot, to: Slot<Model>.self) }
        return nil
    }

    final func makeSlot<Model: StoreModel>(of type: Model.Type) -> Slot<Model> {
        if let slot = slot(of: type) { return slot }
        let slot = Slot<Model>(node: self)
        slots.append(slot)
        return slot
    }

    /// Whether any projection of it is known.
    final var hasValue: Bool { slots.contains { $0.hasValue } }

    /// Whether anybody would miss it.
    final var isNeeded: Bool { isPinned || !parents.isEmpty || slots.contains { $0.hasListeners } }

    final func addParent(_ holder: Holder) {
        // Arrays double what they have; a thing that is in thousands of others should not weigh twice as much.
        if parents.count == parents.capacity { parents.reserveCapacity(parents.count + parents.count / 4 + 1) }
        parents.append(Edge(holder: holder))
    }

    /// The last edge to it, because what is rewritten has often been added a moment ago.
    final func removeParent(_ holder: Holder) {
        guard let index = parents.lastIndex(where: { $0.holder === holder }) else { return }
        parents.swapAt(index, parents.count - 1)
        parents.removeLast()
    }

    final func moveParent(from old: Holder, to new: Holder) {
        guard let index = parents.lastIndex(where: { $0.holder === old }) else { return }
        parents[index] = Edge(holder: new)
    }

    /// Forgets it where it is kept.
    func leaveShelf() {}
}

/// A node that knows its id.
final class EntityNode<Entity, ID: Hashable & Sendable>: Node, @unchecked Sendable {
    let id: ID
    private unowned let shelf: Shelf<Entity, ID>

    init(id: ID, shelf: Shelf<Entity, ID>) {
        self.id = id
        self.shelf = shelf
    }

    override func leaveShelf() { shelf.nodes[id] = nil }
}

/// That something holds a node. It takes away its edges before it goes.
struct Edge {
    unowned let holder: Holder

    /// The projection that holds it; nil for a collection.
    var slot: AnySlot? { holder.slot }
    /// In which part of a collection.
    var leaf: TreeToken? { holder as? TreeToken }
}

/// What an edge leads to: the projection of a model, or the part of a collection, that the node is in.
class Holder: @unchecked Sendable {
    var slot: AnySlot? { nil }

    /// What it holds has changed.
    func childChanged(_ child: Node, in graph: Graph) {}
}

/// The nodes of one entity.
class AnyShelf: @unchecked Sendable {
    var allNodes: [Node] { [] }
}

// Proof: see ``Node``.
final class Shelf<Entity, ID: Hashable & Sendable>: AnyShelf, @unchecked Sendable {
    var nodes: [ID: EntityNode<Entity, ID>] = [:]

    override var allNodes: [Node] { Array(nodes.values) }

    func makeNode(_ id: ID) -> EntityNode<Entity, ID> {
        if let node = nodes[id] { return node }
        let node = EntityNode(id: id, shelf: self)
        nodes[id] = node
        return node
    }
}
