import Cofferdam
public import CofferdamState  // the rows of its message list have cells

/// A row of a list that may have several kinds of rows, each with a cell of its own.
public protocol CellRow: Identifiable, Equatable {
    /// The kinds of rows.
    associatedtype Kind: Hashable & CaseIterable

    /// The row's kind.
    var kind: Kind { get }
}

extension MessageListRow: CellRow where Model: Equatable {}

/// The rows of a list and how their cells are made, in the form that the data source of a table or collection view asks for.
///
/// ```swift
/// var cells = CellSource<MessageListRow<Note>, UICollectionViewCell> { kind in
///     let registration = UICollectionView.CellRegistration<NoteCell, MessageListRow<Note>> { … }
///     return { row, index in collectionView.dequeueConfiguredReusableCell(using: registration, …) }
/// }
/// ```
public struct CellSource<Row: CellRow, Cell> {
    /// Makes the cell of a row at an index.
    public typealias MakeCell = (Row, Int) -> Cell

    /// The rows, in the order of the list.
    public private(set) var rows: [Row] = []
    private let registered: [Row.Kind: MakeCell]

    /// Creates a list without rows.
    ///
    /// - Parameter register: called once for each kind, before there are rows: the place to register the kind's cell.
    public init(register: (Row.Kind) -> MakeCell) {
        registered = Dictionary(Row.Kind.allCases.map { ($0, register($0)) }) { first, _ in first }
    }

    /// The cell of the row at `index`; nil if there is no such row.
    public func cell(at index: Int) -> Cell? {
        guard rows.indices.contains(index) else { return nil }
        return registered[rows[index].kind]?(rows[index], index)
    }

    /// Replaces the rows.
    ///
    /// - Returns: the batch updates that show the change.
    public mutating func show(_ rows: [Row]) -> BatchUpdates {
        let difference = ListDifference(from: self.rows, to: rows)
        self.rows = rows
        return difference.batchUpdates
    }
}
