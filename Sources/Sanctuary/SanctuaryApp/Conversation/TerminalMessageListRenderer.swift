package import CofferdamState  // a renderer
import CofferdamSupport

/// A list of messages for a terminal, a line for each row. Whatever could control the terminal is escaped.
package struct TerminalMessageListRenderer<Model: Identifiable & Sendable>: MessageListRenderer {
    private let style: TerminalStyle
    private let cell: (@Sendable (MessageListItem<Model>) -> String)?

    /// - Parameters:
    ///   - isColoured: whether the terminal can show colours.
    ///   - cell: the client's own cell of a message, without a line end; its text is written as it is.
    package init(isColoured: Bool, cell: (@Sendable (MessageListItem<Model>) -> String)? = nil) {
        style = TerminalStyle(isColoured: isColoured)
        self.cell = cell
    }

    /// The message as lines of text, drawn by `cell` if there is one.
    package func message(_ item: MessageListItem<Model>) -> String { cell?(item) ?? standardCell(item) }

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

    /// The day as a bold heading, escaped for the terminal.
    package func day(_ name: String) -> String { style.apply(.bold, to: name.escapedForTerminal) }

    /// The number of messages before the first row, dimmed.
    package func earlier(_ count: Int) -> String { style.apply(.dim, to: "(\(count) earlier)") }

    /// The text of an empty list, dimmed and escaped for the terminal.
    package func empty(_ text: String) -> String { style.apply(.dim, to: text.escapedForTerminal) }

    /// The title and the cells, one below the other.
    package func list(_ cells: [String], title: String) -> String {
        let title = title.isEmpty ? [] : [style.apply(.bold, to: title.escapedForTerminal), ""]
        return (title + cells).map { $0 + "\n" }.joined()
    }
}
