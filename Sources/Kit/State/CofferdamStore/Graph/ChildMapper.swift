/// Visits and replaces the direct children of a model: see ``StoreModel/mappingChildren(_:)``.
public struct ChildMapper {
    enum Purpose {
        /// The graph takes over the children's values.
        case absorb
        /// The parent takes over the graph's values.
        case rewrite
        /// Nothing changes.
        case compare(NetChanges)
        /// Each child is replaced.
        case replace(any ChildReplacing)
    }

    private let graph: Graph
    private let purpose: Purpose
    /// The nodes of the children that the parent has afterwards, in their order; one that occurs twice is here twice.
    private(set) var nodes: [Node] = []
    /// Whether the graph did not take a child's value, because it has taken another one of the same entity before.
    private(set) var hasOtherValues = false

    init(_ graph: Graph, for purpose: Purpose) {
        self.graph = graph
        self.purpose = purpose
    }

    /// Maps a required child; nil if it is gone, which removes the parent too.
    public mutating func required<Child: StoreModel>(_ child: Child) -> Child? {
        switch purpose {
        case .absorb:
            if let (slot, isTaken) = graph.absorb(child, isPart: true) {
                nodes.append(slot.node)
                if !isTaken { hasOtherValues = true }
            }
            return child
        case .rewrite:
            guard let slot = graph.slot(of: child) else { return child }
            if slot.hasValue { nodes.append(slot.node) }
            return slot.value
        case .compare(let net):
            net.add(child, in: graph)
            return child
        case .replace(let replacing): return replacing.replacement(for: child)
        }
    }

    /// Maps an optional child; nil if it is gone.
    public mutating func optional<Child: StoreModel>(_ child: Child?) -> Child? { child.flatMap { required($0) } }

    /// Maps a list of children; those that are gone are left out.
    public mutating func each<Child: StoreModel>(_ children: [Child]) -> [Child] {
        // Exactly as much as is needed, because slots keep the array.
        nodes.reserveCapacity(nodes.count + children.count)
        return children.compactMap { required($0) }
    }
}

/// Replaces the children of a model.
protocol ChildReplacing {
    /// Nil if it is gone.
    func replacement<Child: StoreModel>(for child: Child) -> Child?
}

extension StoreModel {
    /// Returns the model with its direct children replaced; nil if a required one is gone.
    func replacingChildren(_ replacing: some ChildReplacing) -> Self? {
        // Replacing children does not use the graph.
        var mapper = ChildMapper(Graph(keepsEverything: false), for: .replace(replacing))
        return mappingChildren(&mapper)
    }
}
