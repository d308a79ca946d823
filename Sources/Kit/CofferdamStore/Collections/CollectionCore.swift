/// A collection, whatever its elements. See ``Node`` for the proof of `@unchecked Sendable`.
class AnyCollectionCore: AnyOwner, @unchecked Sendable {
    /// The last transaction that changed it.
    final var changedIn = 0
    /// How many ``StoreCollection``s show it.
    final var users = 0
    /// What a cache's wipes were counted as when somebody said what is in it; nil if nobody has.
    final var knownSince: Int?

    /// Takes out all elements.
    func clear(in graph: Graph) {}
    /// Queues what the listeners are to be told.
    func publish(_ transaction: Transaction, in graph: Graph) {}
}

/// That something in a leaf has changed.
private struct ChangedChild: Hashable {
    let node: Node
    let leaf: TreeToken

    static func == (a: Self, b: Self) -> Bool { a.node === b.node && a.leaf === b.leaf }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(node))
        hasher.combine(ObjectIdentifier(leaf))
    }
}

// Proof: see ``Node``.
final class CollectionCore<Model: StoreModel>: AnyCollectionCore, @unchecked Sendable {
    private(set) var elements = PersistentList<Model>(root: nil)
    let hub = ListenerHub<CollectionState<Model>>(
        CollectionState(elements: PersistentList(root: nil), change: .reset),
        version: 0,
        netChange: CollectionCore.netChange,
        onLastLeft: { _ in }
    )
    private var version = 0
    /// What has changed in this transaction; nil if all has.
    private(set) var steps: [CollectionChange.Step]? = []
    /// What the last transaction that changed it has changed.
    private(set) var lastChange = CollectionChange.reset
    /// What has changed since the last rewriting, each once for each leaf that it is in.
    private var changedChildren: [ChangedChild] = []
    private var knownChanges: Set<ChangedChild> = []

    // MARK: Changing

    func set(_ models: some Collection<Model>, in graph: Graph) {
        for model in models { graph.set(model) }
        // Of several with one id, the last value counts.
        let models = models.map { graph.slot(of: $0)?.value ?? $0 }
        guard !elements.elementsEqual(models) else { return }
        unlinkAll(in: graph)
        elements = PersistentList(models)
        forEachLeaf { elements, leaf in
            for element in elements { link(element, leaf, in: graph) }
        }
        steps = nil
        graph.changed(self)
    }

    override func clear(in graph: Graph) { set([], in: graph) }

    func unlinkAll(in graph: Graph) {
        forEachLeaf { elements, leaf in
            for element in elements { unlink(element, leaf, in: graph) }
        }
    }

    func insert(_ model: Model, at index: Int, in graph: Graph) {
        let model = graph.set(model)
        let root = elements.root ?? TreeNode(ContiguousArray<Model>())
        var moves = TreeMoves<Model>()
        let nodes = root.inserting(model, at: index, &moves)
        elements.root = nodes.count == 1 ? nodes[0] : TreeNode(nodes)
        if let leaf = moves.target { link(model, leaf, in: graph) }
        follow(moves, in: graph)
        note(.insert(at: index), in: graph)
    }

    func replace(at index: Int, by model: Model, in graph: Graph) {
        let model = graph.set(model)
        guard let root = elements.root else { return }
        let (old, leaf) = (root[index], root.leaf(at: index))
        guard old != model else { return }
        link(model, leaf, in: graph)
        unlink(old, leaf, in: graph)
        elements.root = root.replacing(at: index, by: model)
        note(.update(at: index), in: graph)
    }

    func remove(at index: Int, in graph: Graph) {
        guard let root = elements.root else { return }
        unlink(root[index], root.leaf(at: index), in: graph)
        var moves = TreeMoves<Model>()
        elements.root = root.removing(at: index, &moves)
        while case .branch(let children) = elements.root?.content, children.count == 1 { elements.root = children[0] }
        follow(moves, in: graph)
        note(.remove(at: index), in: graph)
    }

    // MARK: Following the graph

    override func childChanged(_ child: Node, at leaf: TreeToken?) {
        guard let leaf else { return }
        let change = ChangedChild(node: child, leaf: leaf)
        if knownChanges.insert(change).inserted { changedChildren.append(change) }
    }

    override func rewrite(in graph: Graph) {
        knownChanges = []
        while let change = changedChildren.popLast() {
            if let (elements, start) = elements.leaf(at: change.leaf) {
                rewrite(change.node, elements, from: start, in: graph)
            } else {
                rewriteWhereItIs(change.node, in: graph)
            }
        }
    }

    /// A leaf that it was in has become one with its neighbour since.
    private func rewriteWhereItIs(_ node: Node, in graph: Graph) {
        var leaves = node.parents.filter { $0.owner === self }.compactMap(\.leaf)
        while let leaf = leaves.popLast() {
            if let (elements, start) = elements.leaf(at: leaf) {
                rewrite(node, elements, from: start, in: graph)
            } else {
                leaves = node.parents.filter { $0.owner === self }.compactMap(\.leaf)
            }
        }
    }

    private func rewrite(_ node: Node, _ leaf: ContiguousArray<Model>, from start: Int, in graph: Graph) {
        // A collection of that model holds no nodes of other entities.
        let id = unsafeDowncast(node, to: EntityNode<Model.Entity, Model.ID>.self).id
        let value = node.slot(of: Model.self)?.value
        for (offset, element) in leaf.enumerated().reversed() where element.id == id && element != value {
            if let value {
                guard let root = elements.root else { return }
                elements.root = root.replacing(at: start + offset, by: value)
                note(.update(at: start + offset), in: graph)
            } else {
                remove(at: start + offset, in: graph)
            }
        }
    }

    // MARK: Edges

    private func link(_ model: Model, _ leaf: TreeToken, in graph: Graph) {
        graph.node(of: model).parents.append(Edge(owner: self, leaf: leaf))
    }

    private func unlink(_ model: Model, _ leaf: TreeToken, in graph: Graph) {
        let node = graph.node(of: model)
        node.removeParent(self, leaf: leaf)
        graph.suspect(node)
    }

    private func follow(_ moves: TreeMoves<Model>, in graph: Graph) {
        for (elements, from, to) in moves.moved {
            for element in elements { graph.node(of: element).moveParent(self, from: from, to: to) }
        }
    }

    private func forEachLeaf(_ body: (ContiguousArray<Model>, TreeToken) -> Void) {
        func walk(_ node: TreeNode<Model>) {
            switch node.content {
            case .leaf(let elements): body(elements, node.token)
            case .branch(let children): for child in children { walk(child) }
            }
        }
        if let root = elements.root { walk(root) }
    }

    // MARK: Telling

    private func note(_ step: CollectionChange.Step, in graph: Graph) {
        steps?.append(step)
        graph.changed(self)
    }

    override func publish(_ transaction: Transaction, in graph: Graph) {
        version += 1
        lastChange = steps.map { .steps($0) } ?? .reset
        let told = CollectionState(elements: elements, change: lastChange)
        steps = []
        hub.publish(
            CollectionState(elements: elements, change: .reset),
            told: told,
            version: version,
            transaction,
            in: graph
        )
    }

    private static func netChange(
        from old: CollectionState<Model>,
        to new: CollectionState<Model>,
        in graph: Graph
    ) -> (value: CollectionState<Model>, changes: StoreChanges)? {
        guard old.elements != new.elements else { return nil }
        let (before, after) = (ModelRecord(), ModelRecord())
        for element in old.elements { before.add(element, in: graph) }
        for element in new.elements { after.add(element, in: graph) }
        return (new, .net(from: before, to: after))
    }
}
