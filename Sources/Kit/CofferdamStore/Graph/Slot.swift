/// One projection of a thing: its value, and who listens to it.
class AnySlot: AnyOwner, @unchecked Sendable {
    let modelType: ObjectIdentifier
    unowned let node: Node
    /// The nodes of the value's direct children, in their order.
    final var children: [Node] = []
    /// Grows with each change.
    final var version = 0
    /// The last transaction that changed it.
    final var changedIn = 0
    /// The last model that was set and had a value for it.
    final var takenIn = 0

    init(modelType: ObjectIdentifier, node: Node) {
        self.modelType = modelType
        self.node = node
    }

    final override var ownNode: Node? { node }
    final override func childChanged(_ child: Node) { isDirty = true }

    var hasListeners: Bool { false }
    var hasValue: Bool { false }

    /// Takes the value away.
    func clear(in graph: Graph) {}
    /// Takes over what another projection of the same thing knows better.
    func merge(_ projection: any StoreModel, in graph: Graph) {}
    /// Queues what the listeners are to be told.
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
    /// Only while somebody listens.
    fileprivate(set) var hub: SlotHub<Model>?

    init(node: Node) { super.init(modelType: ObjectIdentifier(Model.self), node: node) }

    override var hasListeners: Bool { hub != nil }
    override var hasValue: Bool { value != nil }

    /// The hub to listen to, which goes with its last listener.
    func makeHub() -> SlotHub<Model> {
        if let hub { return hub }
        let hub = SlotHub(self)
        self.hub = hub
        return hub
    }

    /// Replaces the value; the caller has seen that it differs.
    func set(_ new: Model?, children: [Node], in graph: Graph) {
        let isNew = value == nil
        value = new
        replaceChildren(by: children, in: graph)
        graph.changed(self, isNew: isNew)
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
        guard let old = value else { return }
        var mapper = ChildMapper(graph, for: .rewrite)
        let new = old.mappingChildren(&mapper)
        if new != old { set(new, children: new == nil ? [] : mapper.nodes, in: graph) }
    }

    override func publish(_ transaction: Transaction, in graph: Graph) {
        guard let hub, hub.value != value else { return }
        hub.publish(value, version: version, transaction, in: graph)
    }
}

/// Who listens to a projection of a thing.
final class SlotHub<Model: StoreModel>: ListenerHub<Model?>, @unchecked Sendable {
    // The slot has it, and its node lives while somebody listens.
    private unowned let slot: Slot<Model>

    fileprivate init(_ slot: Slot<Model>) {
        self.slot = slot
        super.init(slot.value, version: slot.version)
    }

    override func lastHasLeft(_ graph: Graph) {
        slot.hub = nil
        graph.suspect(slot.node)
    }

    override func netChange(from old: Model?, in graph: Graph) -> (value: Model?, changes: StoreChanges)? {
        guard old != value else { return nil }
        let (before, after) = (ModelRecord(), ModelRecord())
        if let old { before.add(old, in: graph) }
        if let value { after.add(value, in: graph) }
        return (value, .net(from: before, to: after))
    }
}
