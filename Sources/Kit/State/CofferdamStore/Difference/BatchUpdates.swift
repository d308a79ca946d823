/// How one list becomes another, in the indices of a table or collection view's batch updates.
///
/// Replace the list and apply ``deletes``, ``inserts`` and ``moves`` in one batch: deletes and where a move begins are
/// indices of the old list, inserts and where it ends of the new one. Then apply ``reloads``, of the new list too, as a
/// second batch: in the same one, UIKit takes a reload by its old index, and refuses one of an element that moves.
///
/// ```swift
/// collectionView.performBatchUpdates {
///     let updates = cells.show(rows)
///     collectionView.deleteItems(at: updates.deletes.map { IndexPath(item: $0, section: 0) })
///     …
/// }
/// ```
public struct BatchUpdates: Sendable, Hashable {
    /// An element that moves from an index of the old list to one of the new list.
    public struct Move: Sendable, Hashable {
        /// The index in the old list.
        public var from: Int
        /// The index in the new list.
        public var to: Int
    }

    /// The old indices of elements that are no longer in the list, ascending.
    public let deletes: [Int]
    /// The new indices of elements that were not in the list, ascending.
    public let inserts: [Int]
    /// The elements that change their order among those that stay: as few as possible, in the order of the new list.
    public let moves: [Move]
    /// The new indices of elements that were in the list with another value, moved or not, ascending.
    public let reloads: [Int]
}

extension ListDifference {
    /// The difference as batch updates.
    public var batchUpdates: BatchUpdates {
        BatchUpdates(
            deletes: removals,
            inserts: insertions.map(\.index),
            moves: moves.map { BatchUpdates.Move(from: $0.from, to: $0.to) },
            reloads: updates.map(\.to)
        )
    }
}
