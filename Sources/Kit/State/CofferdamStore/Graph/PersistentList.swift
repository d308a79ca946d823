/// A list that is copied in O(1). Lists that were made from each other share their common parts: one element of a
/// million is replaced in a few microseconds, and older copies do not change.
///
/// A ``StoreCollection`` creates and changes it. It is a B+ tree with counts: reading an index costs O(log n), iterating O(1)
/// per element.
public struct PersistentList<Element: Sendable>: RandomAccessCollection, Sendable {
    /// Its leaves contain these elements.
    var root: TreeNode?

    init(root: TreeNode?) { self.root = root }

    /// Creates a tree of these elements, three quarters full.
    public init(_ elements: some Collection<Element>) {
        var level = ContiguousArray<TreeNode>()
        var rest = elements[...]
        while !rest.isEmpty {
            let part = rest.prefix(TreeLeaf<Element>.limit * 3 / 4)
            level.append(TreeLeaf(ContiguousArray(part)))
            rest = rest[part.endIndex...]
        }
        let width = TreeNode.branchLimit * 3 / 4
        while level.count > 1 {
            level = ContiguousArray(
                stride(from: 0, to: level.count, by: width).map { start in
                    TreeNode(ContiguousArray(level[start..<Swift.min(level.count, start + width)]))
                }
            )
        }
        root = level.first
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { root?.count ?? 0 }

    /// The element at that index, found in O(log n).
    public subscript(index: Int) -> Element {
        guard let root, index >= 0, index < root.count else {
            preconditionFailure("index \(index) of \(endIndex) elements")
        }
        let (leaf, rest) = root.leaf(at: index)
        return leaf.elements()[rest]
    }

    /// Starts an iteration over the list as it is now.
    public func makeIterator() -> Iterator { Iterator(root: root) }

    /// Walks the leaves in order; each step takes O(1) on average.
    public struct Iterator: IteratorProtocol {
        private var path: [(children: ContiguousArray<TreeNode>, next: Int)] = []
        @usableFromInline var leaf: ContiguousArray<Element> = []
        @usableFromInline var position = 0

        fileprivate init(root: TreeNode?) {
            if let root { path.append(([root], 0)) }
        }

        /// The next element; nil at the end.
        @inlinable
        public mutating func next() -> Element? {
            guard position < leaf.count || goesToNextLeaf() else { return nil }
            defer { position += 1 }
            return leaf[position]
        }

        @usableFromInline
        mutating func goesToNextLeaf() -> Bool {
            while let top = path.last {
                guard top.next < top.children.count else {
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let node = top.children[top.next]
                if node.isLeaf {
                    (leaf, position) = (node.elements(), 0)
                    return true
                }
                path.append((node.children, 0))
            }
            return false
        }
    }

    /// The list with another element at one index.
    func replacing(at index: Int, by element: Element) -> PersistentList {
        guard let root else { return self }
        let (leaf, rest) = root.leaf(at: index)
        var elements = leaf.elements(Element.self)
        elements[rest] = element
        return PersistentList(root: root.replacingLeaf(at: index, by: TreeLeaf(elements, token: leaf.token)))
    }

    /// The leaf with that token, and the index of its first element.
    func leaf(at token: TreeToken) -> (elements: ContiguousArray<Element>, start: Int)? {
        root?.leaf(at: token).map { ($0.leaf.elements(), $0.start) }
    }

    func forEachLeaf(_ body: (ContiguousArray<Element>, TreeToken) -> Void) {
        func walk(_ node: TreeNode) {
            if node.isLeaf { body(node.elements(), node.token) }
            for child in node.children { walk(child) }
        }
        if let root { walk(root) }
    }
}

extension PersistentList: Equatable where Element: Equatable {
    /// Shared parts are not compared: if one list was made from the other, the cost depends on the changes, not on the
    /// size.
    public static func == (a: Self, b: Self) -> Bool {
        if a.root === b.root { return true }
        guard a.count == b.count else { return false }
        // Both rests have the same number of elements.
        var (first, second) = (Rest<Element>(a.root), Rest<Element>(b.root))
        while true {
            if first.elements.isEmpty, second.elements.isEmpty {
                guard let one = first.nodes.last, let other = second.nodes.last else { return true }
                if one === other {
                    first.nodes.removeLast()
                    second.nodes.removeLast()
                } else {
                    // Opens only the larger one, which may contain the other.
                    if one.count >= other.count { first.open() }
                    if other.count >= one.count { second.open() }
                }
            } else if first.elements.isEmpty {
                first.open()
            } else if second.elements.isEmpty {
                second.open()
            } else {
                let count = Swift.min(first.elements.count, second.elements.count)
                guard first.elements.prefix(count).elementsEqual(second.elements.prefix(count)) else { return false }
                first.elements.removeFirst(count)
                second.elements.removeFirst(count)
            }
        }
    }
}

/// The rest of a list in a comparison.
private struct Rest<Element: Sendable> {
    /// The elements before those in the nodes.
    var elements: ContiguousArray<Element>.SubSequence = []
    /// The first node is the last element of the array.
    var nodes: [TreeNode]

    init(_ root: TreeNode?) { nodes = root.map { [$0] } ?? [] }

    /// Replaces the first node by its contents.
    mutating func open() {
        guard let node = nodes.popLast() else { return }
        if node.isLeaf { elements = node.elements()[...] } else { nodes.append(contentsOf: node.children.reversed()) }
    }
}

extension PersistentList: CustomStringConvertible {
    /// The elements, as an array shows them.
    public var description: String { Array(self).description }
}
