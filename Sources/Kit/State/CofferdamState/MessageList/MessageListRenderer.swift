/// Makes a cell of each row, and a list of the cells: for a terminal, a page, or a client's own toolkit.
public protocol MessageListRenderer<Model>: Sendable {
    associatedtype Model: Identifiable & Sendable
    associatedtype Cell
    associatedtype Output

    func message(_ item: MessageListItem<Model>) -> Cell
    func day(_ name: String) -> Cell
    /// - Parameter count: how many older messages are not shown.
    func earlier(_ count: Int) -> Cell
    func empty(_ text: String) -> Cell
    /// - Parameter title: empty for none.
    func list(_ cells: [Cell], title: String) -> Output
}
