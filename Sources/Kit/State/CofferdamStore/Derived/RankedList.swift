/// A list in which some elements count: finding how many of them are before an index takes O(log n), as does every
/// other operation.
///
/// An element keeps its place as long as it is in the list, wherever it moves.
///
/// A binary tree in an array, balanced at random in proportion to the sizes: C. Martínez and S. Roura, "Randomized
/// binary search trees", Journal of the ACM 45 (1998).
struct RankedList<Element> {
    private struct Node {
        var element: Element
        var isCounted: Bool
        var left = -1
        var right = -1
        var parent = -1
        var size = 1
        /// How many elements count in this part of the tree.
        var counted: Int

        init(_ element: Element, _ isCounted: Bool) {
            self.element = element
            self.isCounted = isCounted
            counted = isCounted ? 1 : 0
        }
    }

    private var nodes: ContiguousArray<Node> = []
    private var free: [Int] = []
    private var root = -1
    private var chance: UInt64 = 1

    init() {}

    init(_ elements: some Collection<(element: Element, isCounted: Bool)>) {
        nodes.reserveCapacity(elements.count)
        for (element, isCounted) in elements { nodes.append(Node(element, isCounted)) }
        setRoot(build(0..<nodes.count))
    }

    var count: Int { size(root) }

    subscript(index: Int) -> (element: Element, isCounted: Bool, place: Int) {
        let place = find(index)
        return (nodes[place].element, nodes[place].isCounted, place)
    }

    /// The current index of the element in that place.
    func index(ofPlace place: Int) -> Int {
        var (node, index) = (place, size(nodes[place].left))
        while case let parent = nodes[node].parent, parent >= 0 {
            if nodes[parent].right == node { index += size(nodes[parent].left) + 1 }
            node = parent
        }
        return index
    }

    /// How many elements before the index count.
    func rank(_ index: Int) -> Int {
        var (node, index, rank) = (root, index, 0)
        while node >= 0 {
            let left = nodes[node].left
            if index <= size(left) {
                node = left
            } else {
                rank += counted(left) + (nodes[node].isCounted ? 1 : 0)
                index -= size(left) + 1
                node = nodes[node].right
            }
        }
        return rank
    }

    mutating func set(_ element: Element, isCounted: Bool, at index: Int) {
        let difference = (isCounted ? 1 : 0) - (self[index].isCounted ? 1 : 0)
        let found = find(index) { nodes, node in nodes[node].counted += difference }
        nodes[found].element = element
        nodes[found].isCounted = isCounted
    }

    /// - Returns: the element's place.
    mutating func insert(_ element: Element, isCounted: Bool, at index: Int) -> Int {
        let node: Int
        if let place = free.popLast() {
            nodes[place] = Node(element, isCounted)
            node = place
        } else {
            node = nodes.count
            nodes.append(Node(element, isCounted))
        }
        let (left, right) = split(root, index)
        setRoot(merge(merge(left, node), right))
        return node
    }

    mutating func remove(at index: Int) {
        let (left, rest) = split(root, index)
        let (node, right) = split(rest, 1)
        free.append(node)
        setRoot(merge(left, right))
    }

    // MARK: The tree

    private func size(_ node: Int) -> Int { node < 0 ? 0 : nodes[node].size }
    private func counted(_ node: Int) -> Int { node < 0 ? 0 : nodes[node].counted }

    private func find(_ index: Int) -> Int {
        var (node, index) = (root, index)
        while true {
            let left = size(nodes[node].left)
            if index == left { return node }
            if index < left {
                node = nodes[node].left
            } else {
                index -= left + 1
                node = nodes[node].right
            }
        }
    }

    /// Calls `visit` with each node from the root to that one.
    private mutating func find(_ index: Int, visit: (inout ContiguousArray<Node>, Int) -> Void) -> Int {
        var (node, index) = (root, index)
        while true {
            visit(&nodes, node)
            let left = size(nodes[node].left)
            if index == left { return node }
            if index < left {
                node = nodes[node].left
            } else {
                index -= left + 1
                node = nodes[node].right
            }
        }
    }

    private mutating func build(_ range: Range<Int>) -> Int {
        guard !range.isEmpty else { return -1 }
        let middle = range.lowerBound + range.count / 2
        nodes[middle].left = build(range.lowerBound..<middle)
        nodes[middle].right = build(middle + 1..<range.upperBound)
        recount(middle)
        return middle
    }

    private mutating func setRoot(_ node: Int) {
        root = node
        if node >= 0 { nodes[node].parent = -1 }
    }

    /// Call it when the nodes below have changed.
    private mutating func recount(_ node: Int) {
        let (left, right) = (nodes[node].left, nodes[node].right)
        if left >= 0 { nodes[left].parent = node }
        if right >= 0 { nodes[right].parent = node }
        nodes[node].size = size(left) + size(right) + 1
        nodes[node].counted = counted(left) + counted(right) + (nodes[node].isCounted ? 1 : 0)
    }

    /// The first `index` elements, and the others.
    private mutating func split(_ node: Int, _ index: Int) -> (Int, Int) {
        guard node >= 0 else { return (-1, -1) }
        let left = size(nodes[node].left)
        if index <= left {
            let (first, second) = split(nodes[node].left, index)
            nodes[node].left = second
            recount(node)
            return (first, node)
        }
        let (first, second) = split(nodes[node].right, index - left - 1)
        nodes[node].right = first
        recount(node)
        return (node, second)
    }

    private mutating func merge(_ first: Int, _ second: Int) -> Int {
        guard first >= 0 else { return second }
        guard second >= 0 else { return first }
        chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        if Int(truncatingIfNeeded: chance >> 33) % (size(first) + size(second)) < size(first) {
            nodes[first].right = merge(nodes[first].right, second)
            recount(first)
            return first
        }
        nodes[second].left = merge(first, nodes[second].left)
        recount(second)
        return second
    }
}
