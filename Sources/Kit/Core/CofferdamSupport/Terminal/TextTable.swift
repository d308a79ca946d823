/// A table for a terminal: columns aligned by display width, numbers to the right, control characters escaped.
package struct TextTable: Sendable, Hashable {
    package struct Column: Sendable, Hashable {
        package var title: String
        package var alignment: Alignment

        package init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }

        package static func right(_ title: String) -> Column { Column(title, .right) }
    }

    package enum Alignment: Sendable, Hashable {
        case left, right, centre
    }

    package struct Cell: Sendable, Hashable, ExpressibleByStringInterpolation {
        package var text: String
        package var colour: TerminalStyle.Colour?

        package init(_ text: String, _ colour: TerminalStyle.Colour? = nil) {
            self.text = text.escapedForTerminal
            self.colour = colour
        }

        package init(stringLiteral text: String) { self.init(text) }
    }

    package var columns: [Column]
    private var rows: [[Cell]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    package var isEmpty: Bool { rows.isEmpty }

    /// Adds a row. Missing cells are empty; cells beyond the last column are dropped.
    package mutating func add(_ cells: [Cell]) {
        let missing = max(0, columns.count - cells.count)
        rows.append(Array(cells.prefix(columns.count)) + Array(repeating: "", count: missing))
    }

    /// The lines of the table, the titles first, each with a line end. No line ends in spaces.
    package func render(_ style: TerminalStyle) -> String {
        let titles = columns.map { Cell($0.title, .bold) }
        let lines = [titles] + rows
        let widths = columns.indices.map { column in
            lines.reduce(0) { max($0, $1[column].text.displayWidth) }
        }
        return lines.reduce(into: "") { text, cells in
            text += line(cells, widths, style) + "\n"
        }
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ style: TerminalStyle) -> String {
        var line = ""
        /// Spaces that are written only if something follows.
        var pending = 0
        for (index, cell) in cells.enumerated() {
            let room = widths[index] - cell.text.displayWidth
            let before =
                switch columns[index].alignment {
                case .left: 0
                case .right: room
                case .centre: room / 2
                }
            if !cell.text.isEmpty {
                line += String(repeating: " ", count: pending + before) + style.apply(cell.colour, to: cell.text)
                pending = room - before
            } else {
                pending += room
            }
            pending += Self.gap
        }
        return line
    }

    private static let gap = 2
}
