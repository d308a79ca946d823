extension CollectionCore {
    /// Where that model stands, each time that it does; in no order. Costs what holds the model, not what is in the list.
    func indices(of id: Model.ID, in graph: Graph) -> [Int] {
        guard let node = graph.slot(Model.self, id)?.node else { return [] }
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
