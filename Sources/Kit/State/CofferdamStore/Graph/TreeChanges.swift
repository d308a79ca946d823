// Each function returns new nodes, which replace the old one.

/// Where elements went when a tree changed.
struct TreeMoves<Element: Sendable> {
    /// The leaf that took the new element, before it was split.
    var target: TreeToken?
    /// Elements that are in another leaf than before.
    var moved: [(elements: [Element], from: TreeToken, to: TreeToken)] = []
}

extension TreeNode {
    /// The elements of this node, which the caller knows to be a leaf of that type.
    func elements<Element: Sendable>(_ type: Element.Type = Element.self) -> ContiguousArray<Element> {
        unsafeDowncast(self, to: TreeLeaf<Element>.self).elements
    }

    /// - Returns: one node, or two if it was full.
    func inserting<Element: Sendable>(
        _ element: Element,
        at index: Int,
        _ moves: inout TreeMoves<Element>
    ) -> ContiguousArray<TreeNode> {
        guard isLeaf else {
            let (place, rest) = place(of: index, isInsertion: true)
            var children = children
            children.replaceSubrange(place...place, with: children[place].inserting(element, at: rest, &moves))
            guard children.count > Self.branchLimit else { return [TreeNode(children, token: token)] }
            let half = children.count / 2
            return [
                TreeNode(ContiguousArray(children[..<half]), token: token),
                TreeNode(ContiguousArray(children[half...])),
            ]
        }
        var elements = elements(Element.self)
        elements.insert(element, at: index)
        moves.target = token
        guard elements.count > TreeLeaf<Element>.limit else { return [TreeLeaf(elements, token: token)] }
        let half = elements.count / 2
        let right = TreeLeaf(ContiguousArray(elements[half...]))
        moves.moved.append((Array(elements[half...]), token, right.token))
        return [TreeLeaf(ContiguousArray(elements[..<half]), token: token), right]
    }

    /// - Returns: nil if it was the last element. Small neighbours are merged.
    func removing<Element: Sendable>(at index: Int, _ moves: inout TreeMoves<Element>) -> TreeNode? {
        guard isLeaf else {
            let (place, rest) = place(of: index)
            var children = children
            if let child = children[place].removing(at: rest, &moves) {
                children[place] = child
                Self.mergeNeighbours(of: place, in: &children, &moves)
            } else {
                children.remove(at: place)
            }
            return children.isEmpty ? nil : TreeNode(children, token: token)
        }
        var elements = elements(Element.self)
        elements.remove(at: index)
        return elements.isEmpty ? nil : TreeLeaf(elements, token: token)
    }

    private static func mergeNeighbours<Element: Sendable>(
        of place: Int,
        in children: inout ContiguousArray<TreeNode>,
        _ moves: inout TreeMoves<Element>
    ) {
        for left in [place - 1, place] where left >= 0 && left + 1 < children.count {
            let (first, second) = (children[left], children[left + 1])
            if first.isLeaf, first.count + second.count <= TreeLeaf<Element>.limit / 2 {
                let moved = second.elements(Element.self)
                moves.moved.append((Array(moved), second.token, first.token))
                children[left] = TreeLeaf(first.elements() + moved, token: first.token)
            } else if !first.isLeaf, first.children.count + second.children.count <= branchLimit / 2 {
                children[left] = TreeNode(first.children + second.children, token: first.token)
            } else {
                continue
            }
            children.remove(at: left + 1)
            return
        }
    }
}
