// Each gives new nodes in place of the old one.

/// Where elements have gone to when a tree changed.
struct TreeMoves<Element: Sendable> {
    /// The leaf that took the new element, before it was split.
    var target: TreeToken?
    /// Elements that stand in another leaf than before.
    var moved: [(elements: [Element], from: TreeToken, to: TreeToken)] = []
}

extension TreeNode {
    func replacing(at index: Int, by element: Element) -> TreeNode {
        switch content {
        case .leaf(var elements):
            elements[index] = element
            return TreeNode(elements, token: token)
        case .branch(var children):
            let (place, rest) = Self.place(of: index, in: children)
            children[place] = children[place].replacing(at: rest, by: element)
            return TreeNode(children, token: token)
        }
    }

    /// - Returns: one node, or two if it was full.
    func inserting(
        _ element: Element,
        at index: Int,
        _ moves: inout TreeMoves<Element>
    ) -> ContiguousArray<TreeNode> {
        switch content {
        case .leaf(var elements):
            elements.insert(element, at: index)
            moves.target = token
            guard elements.count > Self.leafLimit else { return [TreeNode(elements, token: token)] }
            let half = elements.count / 2
            let right = TreeNode(ContiguousArray(elements[half...]))
            moves.moved.append((Array(elements[half...]), token, right.token))
            return [TreeNode(ContiguousArray(elements[..<half]), token: token), right]
        case .branch(var children):
            let (place, rest) = Self.place(of: index, in: children, isInsertion: true)
            children.replaceSubrange(place...place, with: children[place].inserting(element, at: rest, &moves))
            guard children.count > Self.branchLimit else { return [TreeNode(children, token: token)] }
            let half = children.count / 2
            return [
                TreeNode(ContiguousArray(children[..<half]), token: token),
                TreeNode(ContiguousArray(children[half...])),
            ]
        }
    }

    /// - Returns: nil if it was the last element. Small neighbours become one.
    func removing(at index: Int, _ moves: inout TreeMoves<Element>) -> TreeNode? {
        switch content {
        case .leaf(var elements):
            elements.remove(at: index)
            return elements.isEmpty ? nil : TreeNode(elements, token: token)
        case .branch(var children):
            let (place, rest) = Self.place(of: index, in: children)
            if let child = children[place].removing(at: rest, &moves) {
                children[place] = child
                Self.mergeNeighbours(of: place, in: &children, &moves)
            } else {
                children.remove(at: place)
            }
            return children.isEmpty ? nil : TreeNode(children, token: token)
        }
    }

    private static func mergeNeighbours(
        of place: Int,
        in children: inout ContiguousArray<TreeNode>,
        _ moves: inout TreeMoves<Element>
    ) {
        for left in [place - 1, place] where left >= 0 && left + 1 < children.count {
            switch (children[left].content, children[left + 1].content) {
            case (.leaf(let first), .leaf(let second)) where first.count + second.count <= leafLimit / 2:
                moves.moved.append((Array(second), children[left + 1].token, children[left].token))
                children[left] = TreeNode(first + second, token: children[left].token)
            case (.branch(let first), .branch(let second)) where first.count + second.count <= branchLimit / 2:
                children[left] = TreeNode(first + second, token: children[left].token)
            default: continue
            }
            children.remove(at: left + 1)
            return
        }
    }

    /// The child that holds the index, and the index there.
    static func place(
        of index: Int,
        in children: ContiguousArray<TreeNode>,
        isInsertion: Bool = false
    ) -> (place: Int, rest: Int) {
        var (place, rest) = (0, index)
        while place < children.count - 1, isInsertion ? rest > children[place].count : rest >= children[place].count {
            rest -= children[place].count
            place += 1
        }
        return (place, rest)
    }
}
