// For lists outside a store's collections; a collection has to track where its elements move.
extension PersistentList {
    func inserting(_ element: Element, at index: Int) -> PersistentList {
        guard let root else { return PersistentList(CollectionOfOne(element)) }
        var moves = TreeMoves<Element>()
        let nodes = root.inserting(element, at: index, &moves)
        return PersistentList(root: nodes.count == 1 ? nodes[0] : TreeNode(nodes))
    }

    func removing(at index: Int) -> PersistentList {
        var moves = TreeMoves<Element>()
        return PersistentList(root: root?.removing(at: index, &moves))
    }
}
