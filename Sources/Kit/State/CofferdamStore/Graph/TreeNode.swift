/// A part of a ``PersistentList``: a ``TreeLeaf`` with elements, or a branch. All leaves have the same depth.
///
/// A node never changes: a change of an element makes new nodes from its leaf to the root, which share all others with
/// earlier lists. The code above the leaves does not need the element type.
///
/// Proof of `@unchecked Sendable`: it and its only subclass have constants only.
class TreeNode: @unchecked Sendable {
    static var branchLimit: Int { 32 }

    /// Empty in a leaf.
    final let children: ContiguousArray<TreeNode>
    /// How many elements are in each child and the children before it.
    private final let ends: ContiguousArray<Int>
    /// The number of elements.
    final let count: Int
    /// The same for all nodes that were in this place one after the other.
    final let token: TreeToken

    /// A leaf.
    fileprivate init(count: Int, token: TreeToken) {
        children = []
        ends = []
        self.count = count
        self.token = token
    }

    /// A branch. Children from elsewhere get it as their parent.
    init(_ children: ContiguousArray<TreeNode>, token: TreeToken = TreeToken()) {
        var ends = ContiguousArray<Int>()
        ends.reserveCapacity(children.count)
        var count = 0
        for child in children {
            count += child.count
            ends.append(count)
            if child.token.parent !== token { child.token.parent = token }
        }
        self.children = children
        self.ends = ends
        self.count = count
        self.token = token
    }

    /// The branch with another child in one place; the new child has the same number of elements and the same token.
    private init(_ branch: TreeNode, replacing place: Int, by child: TreeNode) {
        var children = branch.children
        children[place] = child
        self.children = children
        ends = branch.ends
        count = branch.count
        token = branch.token
    }

    final var isLeaf: Bool { children.isEmpty }

    /// The child that contains the index, and the index in that child. An insertion between two children goes to the
    /// first.
    final func place(of index: Int, isInsertion: Bool = false) -> (place: Int, rest: Int) {
        let wanted = isInsertion ? index - 1 : index
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > wanted { high = middle } else { low = middle + 1 }
        }
        return (low, index - start(of: low))
    }

    /// The index of a child's first element.
    private final func start(of place: Int) -> Int { place == 0 ? 0 : ends[place - 1] }

    /// The leaf that contains the index, and the index in that leaf.
    final func leaf(at index: Int) -> (leaf: TreeNode, rest: Int) {
        var (node, index) = (self, index)
        while !node.isLeaf {
            let (place, rest) = node.place(of: index)
            (node, index) = (node.children[place], rest)
        }
        return (node, index)
    }

    /// The leaf with that token, and the index of its first element; nil if this tree does not contain it.
    final func leaf(at token: TreeToken) -> (leaf: TreeNode, start: Int)? {
        var path: [TreeToken] = []
        var step: TreeToken? = token
        while let token = step, token !== self.token {
            path.append(token)
            step = token.parent
        }
        var (node, start) = (self, 0)
        for token in path.reversed() {
            guard let place = node.place(of: token) else { return nil }
            start += node.start(of: place)
            node = node.children[place]
        }
        return node.isLeaf ? (node, start) : nil
    }

    private final func place(of token: TreeToken) -> Int? {
        if token.place < children.count, children[token.place].token === token { return token.place }
        guard let place = children.firstIndex(where: { $0.token === token }) else { return nil }
        token.place = place
        return place
    }

    /// The tree with another leaf of the same size at the index.
    final func replacingLeaf(at index: Int, by leaf: TreeNode) -> TreeNode {
        guard !isLeaf else { return leaf }
        let (place, rest) = place(of: index)
        return TreeNode(self, replacing: place, by: children[place].replacingLeaf(at: rest, by: leaf))
    }
}

/// The part of a list with elements.
final class TreeLeaf<Element: Sendable>: TreeNode, @unchecked Sendable {
    static var limit: Int { 64 }

    let elements: ContiguousArray<Element>

    init(_ elements: ContiguousArray<Element>, token: TreeToken = TreeToken()) {
        self.elements = elements
        super.init(count: elements.count, token: token)
    }
}

/// Identifies a place in a tree, whatever node is there. It leads from a leaf to the root, so that no index has to be
/// stored, which each insertion would change.
///
/// Proof of `@unchecked Sendable`: only the code that changes the list touches its variables, which is the store under
/// its lock.
final class TreeToken: Holder, @unchecked Sendable {
    var parent: TreeToken?
    /// Its last index among its parent's children.
    var place = 0
    /// The collection of the list; nil above the leaves. A collection removes its edges before it is freed.
    unowned var collection: AnyCollectionCore?

    override func childChanged(_ child: Node, in graph: Graph) { collection?.childChanged(child, in: self, graph) }
}
