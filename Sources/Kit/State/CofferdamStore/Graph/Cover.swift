/// What the pending changes of a ``Graph`` have covered: how to lift them off again.
///
/// An update of the store is made without them: they are lifted off, and put back over the result. So a change that the
/// server refuses leaves no trace, whatever it changed indirectly, and in whatever order others go.
final class Cover {
    private var undo: [(Graph) -> Void] = []
    private var slots: [ObjectIdentifier: AnyObject?] = [:]
    private var lists: [ObjectIdentifier: Any] = [:]
    private var nodes: [(node: Node, wasPinned: Bool)] = []

    /// Keeps the node in the graph while it is covered. Call it before the node changes.
    func hold(_ node: Node) {
        guard !node.isHeld else { return }
        node.isHeld = true
        nodes.append((node, node.isPinned))
    }

    /// Call it before the slot changes. The node's own slots live as long as it does.
    func note<Model: StoreModel>(_ slot: Slot<Model>) {
        let key = ObjectIdentifier(slot)
        guard slots[key] == nil else { return }
        slots[key] = .some(slot.value.map { Covered($0) })
        hold(slot.node)
        for child in slot.children { hold(child) }
        let (value, children) = (slot.value, slot.children)
        undo.append { slot.lift(to: value, children: children, in: $0) }
    }

    /// Call it before the list changes; `lift` undoes the change.
    func note<Model: StoreModel>(_ list: CollectionCore<Model>, _ lift: @escaping (Graph) -> Void) {
        if lists[ObjectIdentifier(list)] == nil { lists[ObjectIdentifier(list)] = list.elements }
        // A collection that its last user has left is empty of edges, and stays so.
        undo.append { if list.users > 0 { lift($0) } }
    }

    /// Whether the pending changes have changed the slot.
    func contains(_ slot: AnySlot) -> Bool { slots[ObjectIdentifier(slot)] != nil }

    /// The value without the pending changes.
    func value<Model: StoreModel>(below slot: Slot<Model>) -> Model? {
        guard let covered = slots[ObjectIdentifier(slot)] else { return slot.value }
        // A slot's value is noted with the slot's type.
        return covered.map { unsafeDowncast($0, to: Covered<Model>.self).value }
    }

    /// The elements without the pending changes.
    func elements<Model: StoreModel>(below list: CollectionCore<Model>) -> PersistentList<Model> {
        lists[ObjectIdentifier(list)] as? PersistentList<Model> ?? list.elements
    }

    func contains(_ list: AnyCollectionCore) -> Bool { lists[ObjectIdentifier(list)] != nil }

    func lift(in graph: Graph) {
        for step in undo.reversed() { step(graph) }
        for (node, wasPinned) in nodes {
            node.isHeld = false
            node.isPinned = wasPinned
            graph.suspect(node)
        }
    }

    private final class Covered<Model: StoreModel> {
        let value: Model
        init(_ value: Model) { self.value = value }
    }
}

/// A pending change of an entity or a list.
struct PendingStoreChange: Sendable {
    /// Runs under the store's lock, on the graph without the change, and with those before it.
    let apply: @Sendable (Graph) -> Void
    /// Whether an update said what the service has of it: see ``Graph/hasSet(_:_:since:)``.
    let isAnswered: @Sendable (Graph, UpdateStart) -> Bool
}

/// Where an update began.
struct UpdateStart {
    let number: Int
    let absorption: Int
}
