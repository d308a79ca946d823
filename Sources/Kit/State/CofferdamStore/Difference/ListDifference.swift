/// The difference of two lists, by the ids of their elements: removals, insertions, moves and updates.
///
/// The number of moves is minimal. Elements with the same id are matched in their order. The indices are those that batch
/// updates of table and collection views take: `removals` and each `from` refer to the old list, `insertions` and each
/// `to` to the new one.
public struct ListDifference<Element: Identifiable & Equatable> {
    /// An element at an index of the new list.
    public struct Insertion {
        /// The index in the new list.
        public let index: Int
        /// The element, with its new value.
        public let element: Element

        @usableFromInline
        init(index: Int, element: Element) { (self.index, self.element) = (index, element) }
    }

    /// An element that moved.
    public struct Move: Sendable, Hashable {
        /// The index in the old list.
        public let from: Int
        /// The index in the new list.
        public let to: Int

        @usableFromInline
        init(from: Int, to: Int) { (self.from, self.to) = (from, to) }
    }

    /// An element with a new value, moved or not.
    public struct Update {
        /// The index in the old list.
        public let from: Int
        /// The index in the new list.
        public let to: Int
        /// The element, with its new value.
        public let element: Element

        @usableFromInline
        init(from: Int, to: Int, element: Element) { (self.from, self.to, self.element) = (from, to, element) }
    }

    /// The old indices of removed elements, ascending.
    public let removals: [Int]
    /// The inserted elements, in the order of the new list.
    public let insertions: [Insertion]
    /// The moved elements, in the order of the new list.
    public let moves: [Move]
    /// The elements with a new value, in the order of the new list.
    public let updates: [Update]
    @usableFromInline let oldCount: Int

    // Inlinable, so that it is specialised for the element type where it is used.
    /// Compares two lists by the ids of their elements, in O(n log n).
    @inlinable
    public init(from old: some Sequence<Element>, to new: some Sequence<Element>) {
        let (old, new) = (ContiguousArray(old), ContiguousArray(new))
        let matching = IdentityMatching(from: old, to: new)
        var (insertions, moves, updates) = ([Insertion](), [Move](), [Update]())
        for (to, element) in new.enumerated() {
            guard let from = matching.source(of: to) else {
                insertions.append(Insertion(index: to, element: element))
                continue
            }
            if matching.isMoved(to) { moves.append(Move(from: from, to: to)) }
            if old[from] != element { updates.append(Update(from: from, to: to, element: element)) }
        }
        removals = matching.removals
        (self.insertions, self.moves, self.updates, oldCount) = (insertions, moves, updates, old.count)
    }

    /// Whether the lists are equal.
    public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }

    /// Applies the difference to the old list.
    ///
    /// - Returns: the new list; nil if the given one has another number of elements than the old one.
    package func applied(to old: some Sequence<Element>) -> [Element]? {
        let old = ContiguousArray(old)
        guard old.count == oldCount else { return nil }
        var isTaken = [Bool](repeating: false, count: old.count)
        for index in removals { isTaken[index] = true }
        var placed = [Element?](repeating: nil, count: old.count - removals.count + insertions.count)
        for insertion in insertions { placed[insertion.index] = insertion.element }
        for move in moves {
            placed[move.to] = old[move.from]
            isTaken[move.from] = true
        }
        // Elements that are neither removed nor moved fill the remaining places in their old order.
        var staying = old.indices.lazy.filter { !isTaken[$0] }.makeIterator()
        for index in placed.indices where placed[index] == nil {
            guard let from = staying.next() else { return nil }
            placed[index] = old[from]
        }
        for update in updates { placed[update.to] = update.element }
        return placed.compactMap { $0 }
    }

    /// The difference as single steps to apply one after the other; a move is a removal and an insertion.
    var steps: [CollectionChange.Step] {
        let removed = (removals + moves.map(\.from)).sorted(by: >)
        let inserted = (insertions.map(\.index) + moves.map(\.to)).sorted()
        let moved = Set(moves.map(\.to))
        let updated = updates.lazy.map(\.to).filter { !moved.contains($0) }
        return removed.map { .remove(at: $0) } + inserted.map { .insert(at: $0) } + updated.map { .update(at: $0) }
    }
}

extension ListDifference: Sendable where Element: Sendable {}
extension ListDifference.Insertion: Sendable where Element: Sendable {}
extension ListDifference.Update: Sendable where Element: Sendable {}
