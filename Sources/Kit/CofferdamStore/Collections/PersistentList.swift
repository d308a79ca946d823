/// A list that is copied for nothing: lists that were made from each other share what they have in common, so one element of
/// a million is replaced in some microseconds while all older lists stay what they were.
///
/// Made and changed by a ``StoreCollection``; a B+ tree with counts. Reading an index costs O(log n), walking O(1) an element.
public struct PersistentList<Element: Sendable>: RandomAccessCollection, Sendable {
    var root: TreeNode<Element>?

    init(root: TreeNode<Element>?) { self.root = root }

    public init(_ elements: some Collection<Element>) { root = .make(elements) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { root?.count ?? 0 }

    public subscript(index: Int) -> Element {
        guard let root, index >= 0, index < root.count else {
            preconditionFailure("index \(index) of \(endIndex) elements")
        }
        return root[index]
    }

    public func makeIterator() -> Iterator { Iterator(root: root) }

    public struct Iterator: IteratorProtocol {
        private var path: [(children: ContiguousArray<TreeNode<Element>>, next: Int)] = []
        private var leaf: ContiguousArray<Element> = []
        private var position = 0

        fileprivate init(root: TreeNode<Element>?) {
            if let root { path.append(([root], 0)) }
        }

        public mutating func next() -> Element? {
            while true {
                if position < leaf.count {
                    defer { position += 1 }
                    return leaf[position]
                }
                guard let top = path.last else { return nil }
                guard top.next < top.children.count else {
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                switch top.children[top.next].content {
                case .leaf(let elements): (leaf, position) = (elements, 0)
                case .branch(let children): path.append((children, 0))
                }
            }
        }
    }

    /// The leaf in that place, and the index of its first element.
    func leaf(at token: TreeToken) -> (elements: ContiguousArray<Element>, start: Int)? {
        guard var node = root else { return nil }
        var path: [TreeToken] = []
        var step: TreeToken? = token
        while let token = step, token !== node.token {
            path.append(token)
            step = token.parent
        }
        var start = 0
        for token in path.reversed() {
            guard case .branch(let children) = node.content else { return nil }
            guard let place = children.firstIndex(where: { $0.token === token }) else { return nil }
            for child in children[..<place] { start += child.count }
            node = children[place]
        }
        guard case .leaf(let elements) = node.content else { return nil }
        return (elements, start)
    }
}

extension PersistentList: Equatable where Element: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.root === b.root || a.elementsEqual(b) }
}

extension PersistentList: CustomStringConvertible {
    public var description: String { Array(self).description }
}
