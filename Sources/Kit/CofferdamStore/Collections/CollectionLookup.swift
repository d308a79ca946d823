extension CollectionCore {
    /// Where that model stands, each time that it does; in no order. Costs what holds the model, not what is in the list.
    func indices(of id: Model.ID, in graph: Graph) -> [Int] {
        guard let node = graph.slot(Model.self, id)?.node else { return [] }
        var leaves: [TreeToken] = []
        for edge in node.parents where edge.owner === self {
            if let leaf = edge.leaf, !leaves.contains(where: { $0 === leaf }) { leaves.append(leaf) }
        }
        return leaves.flatMap { leaf -> [Int] in
            guard let (elements, start) = elements.leaf(at: leaf) else { return [] }
            return elements.indices.filter { elements[$0].id == id }.map { start + $0 }
        }
    }
}
