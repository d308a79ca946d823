public import Cofferdam  // a page's text

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

/// A list of messages for a terminal, a line for each row. Whatever could control the terminal is escaped.
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

    /// The message as lines of text, drawn by `cell` if there is one.
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

    /// The day as a bold heading, escaped for the terminal.
    public func day(_ name: String) -> String { style.apply(.bold, to: name.escapedForTerminal) }

    /// The number of messages before the first row, dimmed.
    public func earlier(_ count: Int) -> String { style.apply(.dim, to: "(\(count) earlier)") }

    /// The text of an empty list, dimmed and escaped for the terminal.
    public func empty(_ text: String) -> String { style.apply(.dim, to: text.escapedForTerminal) }

    /// The title and the cells, one below the other.
    public func list(_ cells: [String], title: String) -> String {
        let title = title.isEmpty ? [] : [style.apply(.bold, to: title.escapedForTerminal), ""]
        return (title + cells).map { $0 + "\n" }.joined()
    }
}

/// A list of messages as a self-contained page, which loads nothing and runs no script. All text is escaped, and its
/// writing direction is isolated in its element.
public struct HTMLMessageListRenderer<Model: Identifiable & Sendable>: MessageListRenderer {
    private let language: String
    private let cell: @Sendable (MessageListItem<Model>) -> Markup

    /// - Parameters:
    ///   - language: the language of the page, such as "de".
    ///   - cell: the client's own contents of a message's list item.
    public init(
        language: String = "en",
        cell: @escaping @Sendable (MessageListItem<Model>) -> Markup = { Self.standardCell($0) }
    ) {
        self.language = language
        self.cell = cell
    }

    /// The message as a list item, drawn by `cell` if there is one.
    public func message(_ item: MessageListItem<Model>) -> Markup {
        let kind = item.content.isOwn ? "message own" : "message"
        return """
            <li class="\(kind)" data-id="\(String(describing: item.model.id))"\(item.isSelected ? Self.selected : "")>\(cell(item))</li>

            """
    }

    private static var selected: Markup { " aria-current=\"true\"" }

    /// The author if it is to be named, the time and the text.
    public static func standardCell(_ item: MessageListItem<Model>) -> Markup {
        let content = item.content
        let author: Markup = item.namesAuthor ? "<bdi class=\"author\">\(content.author)</bdi> " : ""
        let time: Markup = content.time.isEmpty ? "" : "<time>\(content.time)</time> "
        return "\(author)\(time)<p dir=\"auto\">\(content.text)</p>"
    }

    /// The day as a list item of class `day`.
    public func day(_ name: String) -> Markup { "<li class=\"day\">\(name)</li>\n" }

    /// The number of messages before the first row, as a note.
    public func earlier(_ count: Int) -> Markup { "<li class=\"note\">\(count) earlier</li>\n" }

    /// The text of an empty list, as a note.
    public func empty(_ text: String) -> Markup { "<li class=\"note\">\(text)</li>\n" }

    /// A self-contained page with the title and the cells.
    public func list(_ cells: [Markup], title: String) -> Markup {
        let heading: Markup = title.isEmpty ? "" : "<h1>\(title)</h1>\n"
        return """
            <!doctype html>
            <html lang="\(language)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(title.isEmpty ? "Messages" : title)</title>
            <style>
            body { font-family: system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
            ol { list-style: none; padding: 0 }
            .author { font-weight: bold }
            .own .author { color: seagreen }
            .day, .note { text-align: center; color: gray }
            time { color: gray }
            p { margin: 0 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere }
            [aria-current] { outline: 1px solid }
            </style>
            </head>
            <body>
            \(heading)<ol>
            \(cells)</ol>
            </body>
            </html>

            """
    }
}
