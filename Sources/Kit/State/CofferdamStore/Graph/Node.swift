/// One entity, by its namespace and id: its projections, and what contains it.
///
/// Proof of `@unchecked Sendable`, for it, its holders and its ``Graph``: they are reachable only through the graph,
/// and touched only while the store's lock is held. The id, which is read elsewhere, never changes.
class Node: @unchecked Sendable {
    /// One for each projection in use; nearly always one.
    final private(set) var slots: [AnySlot] = []
    /// What must be rewritten when this changes.
    final var parents: [Edge] = []
    /// Kept even without listeners and parents.
    final var isPinned = false
    /// Kept because a pending change covers it.
    final var isHeld = false
    /// Whether its id has become another one's: its only child is the node of that.
    final var isRenamed = false
    /// Whether a value of it is being absorbed; one inside that value, with the same id, is not absorbed.
    final var isBeingAbsorbed = false

    fileprivate init() {}

    final func slot<Model: StoreModel>(of type: Model.Type) -> Slot<Model>? {
        let key = ObjectIdentifier(type)
        // A slot's key is the type that it was made with.
        for slot in slots where slot.modelType == key { return unsafeDowncast(slot, to: Slot<Model>.self) }
        return nil
    }

    final func makeSlot<Model: StoreModel>(of type: Model.Type) -> Slot<Model> {
        if let slot = slot(of: type) { return slot }
        let slot = Slot<Model>(node: self)
        slots.append(slot)
        return slot
    }

    /// Whether any projection has a value.
    final var hasValue: Bool { slots.contains { $0.hasValue } }

    /// Whether anything still uses it.
    final var isNeeded: Bool { isPinned || isHeld || !parents.isEmpty || slots.contains { $0.hasListeners } }

    final func addParent(_ holder: Holder) {
        // Arrays double their capacity; an entity in thousands of others should not use twice the memory.
        if parents.count == parents.capacity { parents.reserveCapacity(parents.count + parents.count / 4 + 1) }
        parents.append(Edge(holder: holder))
    }

    /// Removes the last edge to the holder, because a rewrite often removes what was added just before.
    final func removeParent(_ holder: Holder) {
        guard let index = parents.lastIndex(where: { $0.holder === holder }) else { return }
        parents.swapAt(index, parents.count - 1)
        parents.removeLast()
    }

    final func moveParent(from old: Holder, to new: Holder) {
        guard let index = parents.lastIndex(where: { $0.holder === old }) else { return }
        parents[index] = Edge(holder: new)
    }

    /// Removes the node from its shelf.
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

/// An edge to what contains a node. A holder removes its edges before it is freed.
struct Edge {
    unowned let holder: Holder

    /// The projection that contains it; nil for a collection.
    var slot: AnySlot? { holder.slot }
    /// The part of a collection that contains it.
    var leaf: TreeToken? { holder as? TreeToken }
}

/// The target of an edge: the projection or the part of a collection that contains the node.
class Holder: @unchecked Sendable {
    var slot: AnySlot? { nil }

    /// A child has changed.
    func childChanged(_ child: Node, in graph: Graph) {}
}

/// The nodes of one entity.
class AnyShelf: @unchecked Sendable {
    var allNodes: [Node] { [] }
    /// Forgets which ids have become others.
    func forgetNames() {}
}

// Proof: see ``Node``.
final class Shelf<Entity, ID: Hashable & Sendable>: AnyShelf, @unchecked Sendable {
    var nodes: [ID: EntityNode<Entity, ID>] = [:]
    /// Ids that have become others.
    private(set) var names: [ID: ID] = [:]

    override var allNodes: [Node] { Array(nodes.values) }
    override func forgetNames() { names = [:] }

    func rename(_ old: ID, to new: ID) {
        for (earlier, name) in names where name == old { names[earlier] = new }
        names[old] = new
    }

    /// Reading is the most frequent use: only an id without a node of its own is looked up among the names.
    func node(_ id: ID) -> EntityNode<Entity, ID>? {
        if let node = nodes[id], !node.isRenamed { return node }
        return names.isEmpty ? nil : names[id].flatMap { nodes[$0] }
    }

    func makeNode(_ id: ID) -> EntityNode<Entity, ID> {
        if let node = node(id) { return node }
        let id = names.isEmpty ? id : names[id] ?? id
        let node = EntityNode(id: id, shelf: self)
        nodes[id] = node
        return node
    }
}
