/// The effect of a transaction on one projection.
enum SlotChange {
    /// The value is the same as before.
    case none
    /// There was no value before.
    case new
    /// There was another value before.
    case other
}

/// One projection of an entity: its value and its listeners.
class AnySlot: Holder, @unchecked Sendable {
    let modelType: ObjectIdentifier
    unowned let node: Node
    /// The nodes of the value's direct children, in their order.
    final var children: [Node] = []
    /// Increases with each change.
    final var version = 0
    /// The last transaction that visited it while collecting what to rewrite.
    final var visitedIn = 0
    /// Whether one of its children has changed.
    final var isDirty = false
    /// The last model that was set and contained a value for it.
    final var absorbedIn = 0

    init(modelType: ObjectIdentifier, node: Node) {
        self.modelType = modelType
        self.node = node
    }

    final override var slot: AnySlot? { self }
    final override func childChanged(_ child: Node, in graph: Graph) { isDirty = true }

    var hasListeners: Bool { false }
    var hasValue: Bool { false }

    /// Ends the transaction's changes of this slot.
    func settle() -> SlotChange { .none }
    /// Removes the value.
    func clear(in graph: Graph) {}
    /// Takes over the changes of its children.
    func rewrite(in graph: Graph) {}
    /// Makes it show the same projection of another node, which takes its value unless it has one.
    func rename(to node: Node, in graph: Graph) {}
    /// Takes over the newer values of another projection of the same entity.
    func merge(_ projection: any StoreModel, in graph: Graph) {}
    /// Queues the listeners' notifications.
    func publish(_ transaction: Transaction, in graph: Graph) {}

    /// Replaces the edges to the children.
    final func replaceChildren(by new: [Node], in graph: Graph) {
        guard !children.elementsEqual(new, by: ===) else { return }
        let old = children
        children = new
        for child in new { child.addParent(self) }
        for child in old {
            child.removeParent(self)
            graph.suspect(child)
        }
    }
}

// Proof: see ``Node``.
final class Slot<Model: StoreModel>: AnySlot, @unchecked Sendable {
    private(set) var value: Model?
    /// The value before this transaction; nil if the transaction did not change it, and between transactions.
    private var before: Before??
    /// Nil without listeners.
    fileprivate(set) var hub: SlotHub<Model>?

    /// A reference, which is absent for a new value, so that a slot does not use twice the memory.
    private final class Before {
        let value: Model
        init(_ value: Model) { self.value = value }
    }

    init(node: Node) { super.init(modelType: ObjectIdentifier(Model.self), node: node) }

    override var hasListeners: Bool { hub != nil }
    override var hasValue: Bool { value != nil }

    /// The hub to listen to; it is freed with its last listener.
    func makeHub() -> SlotHub<Model> {
        if let hub { return hub }
        let hub = SlotHub(self)
        self.hub = hub
        return hub
    }

    /// Sets a value that the caller knows to differ.
    func set(_ new: Model?, children: [Node], in graph: Graph) {
        graph.covering?.note(self)
        lift(to: new, children: children, in: graph)
        for edge in node.parents { edge.holder.childChanged(node, in: graph) }
    }

    /// Sets a value that what contains it already takes into account.
    func lift(to new: Model?, children: [Node], in graph: Graph) {
        if before == nil {
            before = .some(value.map { Before($0) })
            graph.transaction.slots.append(self)
        }
        value = new
        replaceChildren(by: children, in: graph)
    }

    /// Whether that was the value before this transaction, which has changed it.
    func wasShown(_ model: Model) -> Bool { before.map { $0?.value == model } ?? false }

    override func rename(to node: Node, in graph: Graph) {
        let target = node.makeSlot(of: Model.self)
        // The node of a model's entity has the model's id.
        let id = unsafeDowncast(node, to: EntityNode<Model.Entity, Model.ID>.self).id
        if target.value == nil, let renamed = value?.renamed(to: id) { graph.set(renamed) }
        set(target.value, children: [node], in: graph)
    }

    override func settle() -> SlotChange {
        guard let before = before.take(), before?.value != value else { return .none }
        version += 1
        return before == nil ? .new : .other
    }

    override func clear(in graph: Graph) {
        if value != nil { set(nil, children: [], in: graph) }
    }

    override func merge(_ projection: any StoreModel, in graph: Graph) {
        guard let old = value else { return }
        let merged = old.merging(projection)
        if merged != old { graph.take(merged, into: self) }
    }

    override func rewrite(in graph: Graph) {
        guard isDirty else { return }
        isDirty = false
        if node.isRenamed, let target = children.first {
            let new = target.slot(of: Model.self)?.value
            if new != value { set(new, children: children, in: graph) }
            return
        }
        guard let old = value else { return }
        var mapper = ChildMapper(graph, for: .rewrite)
        let new = old.mappingChildren(&mapper)
        if new != old { set(new, children: new == nil ? [] : mapper.nodes, in: graph) }
    }

    override func publish(_ transaction: Transaction, in graph: Graph) {
        hub?.publish(value, version: version, transaction, in: graph)
    }
}

/// The listeners of a projection.
final class SlotHub<Model: StoreModel>: ListenerHub<Model?>, @unchecked Sendable {
    // The slot owns the hub, and the node lives while it has listeners.
    private unowned let slot: Slot<Model>

    fileprivate init(_ slot: Slot<Model>) {
        self.slot = slot
        super.init(slot.value, version: slot.version)
    }

    override func lastListenerLeft(_ graph: Graph) {
        slot.hub = nil
        graph.suspect(slot.node)
    }

    override func differs(from old: Model?) -> Bool { old != value }

    override func changes(since old: Model?, in graph: Graph) -> StoreChanges {
        let net = NetChanges()
        if let old { net.add(old, in: graph) }
        return net.changes
    }
}
