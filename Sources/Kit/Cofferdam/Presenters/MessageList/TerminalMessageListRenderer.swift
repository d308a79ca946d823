/// A list of messages for a terminal, a line for each row. What could steer the terminal is spelled out.
public struct TerminalMessageListRenderer<Model: Identifiable & Sendable>: MessageListRenderer {
    private let style: TerminalStyle
    private let cell: (@Sendable (MessageListItem<Model>) -> String)?

    /// - Parameters:
    ///   - isColoured: whether the terminal can show colours.
    ///   - cell: the client's own cell of a message, without a line end; its text is written as it is.
    public init(isColoured: Bool, cell: (@Sendable (MessageListItem<Model>) -> String)? = nil) {
        style = TerminalStyle(isColoured: isColoured)
        self.cell = cell
    }

    public func message(_ item: MessageListItem<Model>) -> String { cell?(item) ?? standardCell(item) }

    private func standardCell(_ item: MessageListItem<Model>) -> String {
        let content = item.content
        let author = content.author.escapedForTerminal
        let name =
            item.namesAuthor
            ? style.apply(content.isOwn ? .green : .cyan, to: author)
            : String(repeating: " ", count: author.displayWidth)
        let text = content.text.escapedForTerminal
        return [
            item.isSelected ? ">" : "", style.apply(.dim, to: content.time.escapedForTerminal), name,
            item.isSelected ? style.apply(.bold, to: text) : text,
        ].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    public func day(_ name: String) -> String { style.apply(.bold, to: name.escapedForTerminal) }

    public func earlier(_ count: Int) -> String { style.apply(.dim, to: "(\(count) earlier)") }

    public func empty(_ text: String) -> String { style.apply(.dim, to: text.escapedForTerminal) }

    public func list(_ cells: [String], title: String) -> String {
        let title = title.isEmpty ? [] : [style.apply(.bold, to: title.escapedForTerminal), ""]
        return (title + cells).map { $0 + "\n" }.joined()
    }
}
