/// A part of a ``PersistentList``: a leaf with elements, or a branch. All leaves are equally deep.
///
/// A node never changes: what changes an element makes new nodes from its leaf to the root, and shares the others with all
/// lists that were made before.
final class TreeNode<Element: Sendable>: Sendable {
    enum Content: Sendable {
        case leaf(ContiguousArray<Element>)
        case branch(ContiguousArray<TreeNode>)
    }

    static var leafLimit: Int { 64 }
    static var branchLimit: Int { 32 }

    let content: Content
    /// How many elements are in it.
    let count: Int
    /// The same for all nodes that have taken this place one after the other.
    let token: TreeToken

    init(_ elements: ContiguousArray<Element>, token: TreeToken = TreeToken()) {
        content = .leaf(elements)
        count = elements.count
        self.token = token
    }

    init(_ children: ContiguousArray<TreeNode>, token: TreeToken = TreeToken()) {
        content = .branch(children)
        count = children.reduce(0) { $0 + $1.count }
        self.token = token
        for child in children where child.token.parent !== token { child.token.parent = token }
    }

    /// A tree of these elements, three quarters full; nil if there are none.
    static func make(_ elements: some Collection<Element>) -> TreeNode? {
        var level = ContiguousArray<TreeNode>()
        var rest = elements[...]
        while !rest.isEmpty {
            let part = rest.prefix(leafLimit * 3 / 4)
            level.append(TreeNode(ContiguousArray(part)))
            rest = rest[part.endIndex...]
        }
        while level.count > 1 {
            level = ContiguousArray(
                stride(from: 0, to: level.count, by: branchLimit * 3 / 4).map { start in
                    TreeNode(ContiguousArray(level[start..<min(level.count, start + branchLimit * 3 / 4)]))
                }
            )
        }
        return level.first
    }

    subscript(index: Int) -> Element { descend(to: index) { elements, index, _ in elements[index] } }

    func leaf(at index: Int) -> TreeToken { descend(to: index) { _, _, token in token } }

    private func descend<Result>(
        to index: Int,
        _ body: (ContiguousArray<Element>, _ index: Int, TreeToken) -> Result
    ) -> Result {
        var (node, index) = (self, index)
        while true {
            switch node.content {
            case .leaf(let elements): return body(elements, index, node.token)
            case .branch(let children):
                let (place, rest) = Self.place(of: index, in: children)
                (node, index) = (children[place], rest)
            }
        }
    }
}

/// Names a place in a tree, whatever stands there. It leads from a leaf to the root, so that nobody has to remember indices
/// that every insertion would change.
///
/// Proof of `@unchecked Sendable`: `parent` is touched only by whoever changes the list, which is the store under its lock.
final class TreeToken: @unchecked Sendable {
    var parent: TreeToken?
}
