/// A collection without its element type. See ``Node`` for the proof of `@unchecked Sendable`.
class AnyCollectionCore: @unchecked Sendable {
    /// The last transaction that replaced it by another list, or by the same.
    final var setIn = 0
    /// The last transaction that lifted pending changes off it.
    final var liftedIn = 0
    /// The last transaction that changed it.
    final var changedIn = 0
    /// The number of ``StoreCollection``s that show it.
    final var users = 0
    /// The cache's number of wipes when the list was last set; nil if it never was.
    final var wipesWhenSet: Int?

    /// An element in that leaf has changed.
    func childChanged(_ child: Node, in leaf: TreeToken, _ graph: Graph) {}
    /// Takes over the changed elements.
    func rewrite(in graph: Graph) {}
    /// Replaces a node by the one that has its entity now.
    func rename(_ node: Node, to target: Node, in graph: Graph) {}
    /// Queues the listeners' notifications.
    func publish(_ transaction: Transaction, in graph: Graph) {}
}

// Proof: see ``Node``.
final class CollectionCore<Model: StoreModel>: AnyCollectionCore, @unchecked Sendable {
    private(set) var elements = PersistentList<Model>(root: nil)
    let hub = CollectionHub<Model>()
    private var version = 0
    /// The steps of this transaction; nil if everything changed.
    private(set) var steps: [CollectionChange.Step]? = []
    /// The change of the last transaction that changed it.
    private(set) var lastChange = CollectionChange.reset
    /// The nodes that changed in this transaction, and their leaves; empty between transactions.
    private var changedChildren: [(node: Node, leaf: TreeToken)] = []

    // MARK: Changing

    func set(_ models: some Collection<Model>, inSteps: Bool = false, in graph: Graph) {
        setIn = graph.transaction.number
        for model in models { graph.set(model, isPart: true) }
        // Of several models with one id, the last value counts.
        let models = models.map { graph.slot(of: $0)?.value ?? $0 }
        guard !elements.elementsEqual(models) else { return }
        steps = steps.flatMap { inSteps ? $0 + ListDifference(from: elements, to: models).steps : nil }
        fill(models, in: graph)
    }

    private func fill(_ models: some Collection<Model>, in graph: Graph) {
        if let cover = graph.covering {
            let old = elements
            for element in old { cover.hold(graph.node(of: element)) }
            self.cover(cover, in: graph) { self.fill(old, in: $0) }
        }
        unlinkAll(in: graph)
        elements = PersistentList(models)
        elements.forEachLeaf { elements, leaf in
            for element in elements { link(element, leaf, in: graph) }
        }
        graph.changed(self)
    }

    func unlinkAll(in graph: Graph) {
        elements.forEachLeaf { elements, leaf in
            for element in elements { unlink(element, leaf, in: graph) }
        }
    }

    func insert(_ model: Model, at index: Int, in graph: Graph) {
        insertKnown(graph.set(model), at: index, in: graph)
    }

    /// Inserts a model as the graph has it.
    func insertKnown(_ model: Model, at index: Int, in graph: Graph) {
        cover(graph.covering, in: graph) { self.remove(at: index, in: $0) }
        let root = elements.root ?? TreeLeaf(ContiguousArray<Model>())
        var moves = TreeMoves<Model>()
        let nodes = root.inserting(model, at: index, &moves)
        elements.root = nodes.count == 1 ? nodes[0] : TreeNode(nodes)
        if let leaf = moves.target { link(model, leaf, in: graph) }
        follow(moves, in: graph)
        note(.insert(at: index), in: graph)
    }

    func replace(at index: Int, by model: Model, in graph: Graph) {
        exchange(at: index, by: graph.set(model), in: graph)
    }

    private func exchange(at index: Int, by model: Model, in graph: Graph) {
        let old = elements[index]
        guard old != model, let leaf = elements.root?.leaf(at: index).leaf.token else { return }
        if let cover = graph.covering {
            cover.hold(graph.node(of: old))
            self.cover(cover, in: graph) { self.exchange(at: index, by: old, in: $0) }
        }
        link(model, leaf, in: graph)
        unlink(old, leaf, in: graph)
        elements = elements.replacing(at: index, by: model)
        note(.update(at: index), in: graph)
    }

    func remove(at index: Int, in graph: Graph) {
        guard let root = elements.root else { return }
        let old = elements[index]
        if let cover = graph.covering {
            cover.hold(graph.node(of: old))
            self.cover(cover, in: graph) { self.insertKnown(old, at: index, in: $0) }
        }
        unlink(old, root.leaf(at: index).leaf.token, in: graph)
        var moves = TreeMoves<Model>()
        elements.root = root.removing(at: index, &moves)
        while let root = elements.root, root.children.count == 1 { elements.root = root.children[0] }
        follow(moves, in: graph)
        note(.remove(at: index), in: graph)
    }

    /// Notes how to undo a change, if it is a pending one.
    private func cover(_ cover: Cover?, in graph: Graph, _ lift: @escaping (Graph) -> Void) {
        guard let cover else { return }
        cover.note(self) {
            self.liftedIn = $0.transaction.number
            lift($0)
        }
    }

    override func rename(_ node: Node, to target: Node, in graph: Graph) {
        while let (place, leaf) = leaves(of: node).lazy.compactMap({ leaf in
            self.elements.leaf(at: leaf).map { ($0, leaf) }
        }).first {
            var values = place.elements
            guard let offset = Self.offsets(of: node, in: &values).last else { return node.removeParent(leaf) }
            let isThere = target.parents.contains { $0.leaf?.collection === self }
            if !isThere, let model = target.slot(of: Model.self)?.value {
                exchange(at: place.start + offset, by: model, in: graph)
            } else {
                remove(at: place.start + offset, in: graph)
            }
        }
    }

    // MARK: Following the graph

    override func childChanged(_ child: Node, in leaf: TreeToken, _ graph: Graph) {
        // Registered even if the collection contains none of the changed nodes in the end: these notes must not stay
        // for the next transaction.
        if changedChildren.isEmpty { graph.transaction.affected.append(self) }
        // A node that is in the leaf several times is reported several times.
        if let last = changedChildren.last, last.node === child, last.leaf === leaf { return }
        changedChildren.append((child, leaf))
    }

    override func rewrite(in graph: Graph) {
        while let last = changedChildren.last {
            var nodes: [Node] = []
            while let change = changedChildren.last, change.leaf === last.leaf {
                nodes.append(change.node)
                changedChildren.removeLast()
            }
            if let place = elements.leaf(at: last.leaf) {
                rewrite(nodes, in: last.leaf, place, graph)
            } else {
                for node in nodes { rewriteWhereItIs(node, in: graph) }
            }
        }
    }

    /// Rewrites a node whose leaf has been merged with its neighbour since.
    private func rewriteWhereItIs(_ node: Node, in graph: Graph) {
        var leaves = leaves(of: node)
        while let leaf = leaves.popLast() {
            if let place = elements.leaf(at: leaf) {
                rewrite([node], in: leaf, place, graph)
            } else {
                leaves = self.leaves(of: node)
            }
        }
    }

    private func leaves(of node: Node) -> [TreeToken] {
        node.parents.compactMap(\.leaf).filter { $0.collection === self }
    }

    /// Takes over the values of those nodes in that leaf, and removes nodes that are gone.
    private func rewrite(
        _ nodes: [Node],
        in token: TreeToken,
        _ place: (elements: ContiguousArray<Model>, start: Int),
        _ graph: Graph
    ) {
        let start = place.start
        var values = place.elements
        var (isChanged, gone) = (false, [Node]())
        for node in nodes {
            guard let value = node.slot(of: Model.self)?.value else {
                gone.append(node)
                continue
            }
            for offset in Self.offsets(of: node, in: &values) where values[offset] != value {
                if let cover = graph.covering {
                    let (old, index) = (values[offset], start + offset)
                    self.cover(cover, in: graph) { self.exchange(at: index, by: old, in: $0) }
                }
                values[offset] = value
                isChanged = true
                note(.update(at: start + offset), in: graph)
            }
        }
        if isChanged {
            elements.root = elements.root?.replacingLeaf(at: start, by: TreeLeaf(values, token: token))
        }
        for node in gone { remove(node, from: token, in: graph) }
    }

    private func remove(_ node: Node, from token: TreeToken, in graph: Graph) {
        guard let (leaf, start) = elements.leaf(at: token) else {
            rewriteWhereItIs(node, in: graph)
            return
        }
        var values = leaf
        for offset in Self.offsets(of: node, in: &values).reversed() { remove(at: start + offset, in: graph) }
    }

    /// Inout only to avoid a copy of the elements, which the compiler would make if anything else could change them.
    private static func offsets(of node: Node, in elements: inout ContiguousArray<Model>) -> [Int] {
        // A collection of that model holds no nodes of other entities.
        let id = unsafeDowncast(node, to: EntityNode<Model.Entity, Model.ID>.self).id
        return elements.withUnsafeMutableBufferPointer { elements in
            var offsets: [Int] = []
            for offset in elements.indices where has(&elements[offset], id) { offsets.append(offset) }
            return offsets
        }
    }

    @inline(never)
    private static func has(_ element: inout Model, _ id: Model.ID) -> Bool { element.id == id }

    // MARK: Edges

    private func link(_ model: Model, _ leaf: TreeToken, in graph: Graph) {
        leaf.collection = self
        graph.node(of: model).addParent(leaf)
    }

    private func unlink(_ model: Model, _ leaf: TreeToken, in graph: Graph) {
        let node = graph.node(of: model)
        node.removeParent(leaf)
        graph.suspect(node)
    }

    private func follow(_ moves: TreeMoves<Model>, in graph: Graph) {
        for (elements, from, to) in moves.moved {
            to.collection = self
            for element in elements { graph.node(of: element).moveParent(from: from, to: to) }
        }
    }

    // MARK: Notifying

    private func note(_ step: CollectionChange.Step, in graph: Graph) {
        steps?.append(step)
        graph.changed(self)
    }

    /// Steps that lead to the elements from those that are shown, without those that lift pending changes off and put
    /// them back.
    private func shortened(_ steps: [CollectionChange.Step]) -> [CollectionChange.Step] {
        let old = hub.value.elements
        // How many elements at the start and at the end no step concerns.
        var (start, end, count, updated) = (Int.max, Int.max, old.count, Set<Int>())
        var hasMoved = false
        for step in steps {
            switch step {
            case .insert(let index):
                count += 1
                (start, end, hasMoved) = (min(start, index), min(end, count - index - 1), true)
            case .remove(let index):
                (start, end, hasMoved) = (min(start, index), min(end, count - index - 1), true)
                count -= 1
            case .update(let index):
                (start, end) = (min(start, index), min(end, count - index - 1))
                updated.insert(index)
            }
        }
        guard hasMoved else { return updated.sorted().filter { old[$0] != elements[$0] }.map { .update(at: $0) } }
        let difference = ListDifference(from: old[start..<old.count - end], to: elements[start..<elements.count - end])
        return difference.steps.map { step in
            switch step {
            case .insert(let index): .insert(at: start + index)
            case .remove(let index): .remove(at: start + index)
            case .update(let index): .update(at: start + index)
            }
        }
    }

    override func publish(_ transaction: Transaction, in graph: Graph) {
        let state = CollectionState(elements: elements, change: .reset)
        defer { steps = [] }
        let isLifted = liftedIn == transaction.number
        // A single step cannot lead back to the old elements.
        if isLifted || steps?.count != 1, hub.value.elements == elements {
            lastChange = .steps([])
            hub.replace(state)
            return
        }
        version += 1
        if isLifted { steps = steps.map { shortened($0) } }
        lastChange = steps.map { .steps($0) } ?? .reset
        let delivered = CollectionState(elements: elements, change: lastChange)
        hub.publish(state, delivered: delivered, version: version, transaction, in: graph)
    }
}

/// The listeners of a collection.
// Proof: see ``Node``.
final class CollectionHub<Model: StoreModel>: ListenerHub<CollectionState<Model>>, @unchecked Sendable {
    init() { super.init(CollectionState(elements: PersistentList(root: nil), change: .reset), version: 0) }

    override func differs(from old: CollectionState<Model>) -> Bool { old.elements != value.elements }

    override func changes(since old: CollectionState<Model>, in graph: Graph) -> StoreChanges {
        let net = NetChanges()
        for element in old.elements { net.add(element, in: graph) }
        return net.changes
    }
}

extension CollectionCore {
    /// The indices of that model's occurrences, in no order. The cost depends on what contains the model, not on the
    /// list's length.
    func indices(of id: Model.ID, in graph: Graph) -> [Int] {
        guard let node = graph.slot(Model.self, id)?.node else { return [] }
        // The id that it has now. A model's node is one of its entity.
        let id = unsafeDowncast(node, to: EntityNode<Model.Entity, Model.ID>.self).id
        var leaves: [TreeToken] = []
        for edge in node.parents {
            guard let leaf = edge.leaf, leaf.collection === self else { continue }
            if !leaves.contains(where: { $0 === leaf }) { leaves.append(leaf) }
        }
        return leaves.flatMap { token -> [Int] in
            guard let (leaf, start) = elements.root?.leaf(at: token) else { return [] }
            let elements = leaf.elements(Model.self)
            return elements.indices.filter { elements[$0].id == id }.map { start + $0 }
        }
    }
}
