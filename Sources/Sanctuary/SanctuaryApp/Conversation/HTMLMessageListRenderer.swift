package import CofferdamPages  // a cell
package import CofferdamState  // a renderer

/// A list of messages as a self-contained page, which loads nothing and runs no script. All text is escaped, and its
/// writing direction is isolated in its element.
package struct HTMLMessageListRenderer<Model: Identifiable & Sendable>: MessageListRenderer {
    private let language: String
    private let cell: @Sendable (MessageListItem<Model>) -> Markup

    /// - Parameters:
    ///   - language: the language of the page, such as "de".
    ///   - cell: the client's own contents of a message's list item.
    package init(
        language: String = "en",
        cell: @escaping @Sendable (MessageListItem<Model>) -> Markup = { Self.standardCell($0) }
    ) {
        self.language = language
        self.cell = cell
    }

    /// The message as a list item, drawn by `cell` if there is one.
    package func message(_ item: MessageListItem<Model>) -> Markup {
        let kind = item.content.isOwn ? "message own" : "message"
        return """
            <li class="\(kind)" data-id="\(String(describing: item.model.id))"\(item.isSelected ? Self.selected : "")>\(cell(item))</li>

            """
    }

    private static var selected: Markup { " aria-current=\"true\"" }

    /// The author if it is to be named, the time and the text.
    package static func standardCell(_ item: MessageListItem<Model>) -> Markup {
        let content = item.content
        let author: Markup = item.namesAuthor ? "<bdi class=\"author\">\(content.author)</bdi> " : ""
        let time: Markup = content.time.isEmpty ? "" : "<time>\(content.time)</time> "
        return "\(author)\(time)<p dir=\"auto\">\(content.text)</p>"
    }

    /// The day as a list item of class `day`.
    package func day(_ name: String) -> Markup { "<li class=\"day\">\(name)</li>\n" }

    /// The number of messages before the first row, as a note.
    package func earlier(_ count: Int) -> Markup { "<li class=\"note\">\(count) earlier</li>\n" }

    /// The text of an empty list, as a note.
    package func empty(_ text: String) -> Markup { "<li class=\"note\">\(text)</li>\n" }

    /// A self-contained page with the title and the cells.
    package func list(_ cells: [Markup], title: String) -> String {
        let heading: Markup = title.isEmpty ? "" : "<h1>\(title)</h1>\n"
        let page: Markup = """
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
        return page.description
    }
}
