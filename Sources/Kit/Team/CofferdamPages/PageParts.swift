import CofferdamSupport

/// The parts that pages are made of.
package enum PagePart {
    /// A section with its heading; `id` is the heading's.
    package static func section(_ id: String, _ title: Markup, _ content: Markup) -> Markup {
        """
        <section aria-labelledby="\(id)"><h2 id="\(id)">\(title)</h2>
        \(content)
        </section>
        """
    }

    /// Names and values, side by side.
    package static func facts(_ facts: [(name: String, value: Markup)]) -> Markup {
        let pairs = facts.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>\n" as Markup }
        return "<dl>\(pairs)</dl>"
    }

    package static func badge(_ text: String, _ tone: Tone) -> Markup {
        "<span class=\"badge \(tone.rawValue)\">\(text)</span>"
    }

    /// A list of items; empty if there are none.
    package static func list(_ items: [Markup]) -> Markup {
        items.isEmpty ? "" : "<ul>\(items.map { "<li>\($0)</li>" as Markup })</ul>"
    }

    /// Text that others wrote. It does not reorder what stands beside it, and shows the codes of its control and format
    /// characters.
    package static func text(_ text: String) -> Markup {
        var (parts, part): ([Markup], String) = ([], "")
        for scalar in text.unicodeScalars {
            // Spaces on a page.
            if scalar.isInvisible, !["\t", "\n", "\r"].contains(scalar) {
                parts.append("\(part)<mark>\(scalar.code)</mark>")
                part = ""
            } else {
                part.unicodeScalars.append(scalar)
            }
        }
        return "<bdi>\(parts)\(part)</bdi>"
    }

    /// A camel-case name that may wrap between its words.
    package static func name(_ text: String) -> Markup {
        var (parts, part): ([Markup], String) = ([], "")
        for character in text {
            if character.isUppercase || "+/.(".contains(character), !part.isEmpty {
                parts.append("\(part)<wbr/>")
                part = ""
            }
            part.append(character)
        }
        return "<bdi>\(parts)\(part)</bdi>"
    }

    /// Preformatted text in a monospaced font, which scrolls on its own.
    package static func preformatted(_ text: String, label: String) -> Markup {
        "<pre class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"\(label)\">\(text)</pre>"
    }

    /// A bar with its threshold marked, full at 1.2 times the threshold. The page shows the numbers beside it.
    ///
    /// - Parameter tone: the tone of a bar that has reached the threshold.
    package static func bar(_ value: Double, of threshold: Double, reached tone: Tone = .good) -> Markup {
        let part = threshold > 0 && value.isFinite ? min(1.2, max(0, value / threshold)) : 0
        let width = (part * 1_000).rounded() / 10
        return """
            <svg class="bar" viewBox="0 0 120 10" preserveAspectRatio="none" aria-hidden="true">\
            <rect class="whole" width="120" height="10" rx="2"/>\
            <rect class="\(part >= 1 ? tone.rawValue : "part")" width="\(width)" height="10" rx="2"/>\
            <line class="limit" x1="100" x2="100" y1="0" y2="10"/></svg>
            """
    }

    /// One of several steps in order, with its state.
    package struct Step: Sendable, Hashable {
        package enum Place: String, Sendable, Hashable {
            case passed, current, halted, ahead

            fileprivate var words: String {
                switch self {
                case .passed: "passed"
                case .current: "current"
                case .halted: "halted here"
                case .ahead: "to come"
                }
            }

            fileprivate var mark: String {
                switch self {
                case .passed: "✓"
                case .current: "●"
                case .halted: "■"
                case .ahead: "○"
                }
            }
        }

        package var name: String
        package var place: Place

        package init(_ name: String, _ place: Place) {
            (self.name, self.place) = (name, place)
        }
    }

    /// - Parameter isShort: whether to show only marks, with the names for screen readers.
    package static func track(_ label: String, _ steps: [Step], isShort: Bool = false) -> Markup {
        let items = steps.map { step -> Markup in
            let current: Markup = [.current, .halted].contains(step.place) ? " aria-current=\"step\"" : ""
            let text: Markup =
                isShort
                ? "<span class=\"unseen\">\(step.name) </span>"
                : """
                <span aria-hidden="true">\(step.place.mark)</span> \(name(step.name))\u{20}
                """
            return """
                <li class="\(step.place.rawValue)"\(current)>\(text)<span class="unseen">\(step.place.words)</span></li>

                """
        }
        return "<ol class=\"track\" aria-label=\"\(label)\">\n\(items)</ol>"
    }
}

/// A table that scrolls on its own, which the keyboard can reach. The first column has the rows' headings.
package struct PageTable: Sendable {
    package struct Column: Sendable, Hashable, ExpressibleByStringLiteral {
        package enum Kind: Sendable, Hashable { case text, number, wide }

        package var title: String
        package var kind: Kind

        package init(_ title: String, _ kind: Kind = .text) { (self.title, self.kind) = (title, kind) }
        package init(stringLiteral title: String) { self.init(title) }

        package static func number(_ title: String) -> Column { Column(title, .number) }
        /// A column for sentences.
        package static func wide(_ title: String) -> Column { Column(title, .wide) }

        fileprivate var attribute: Markup {
            switch kind {
            case .text: ""
            case .number: " class=\"number\""
            case .wide: " class=\"wide\""
            }
        }
    }

    /// The id of the heading that names the table.
    package var heading: String
    package var columns: [Column]
    /// The cells of each row, one for each column.
    package var rows: [[Markup]]

    package init(_ heading: String, _ columns: [Column], _ rows: [[Markup]]) {
        (self.heading, self.columns, self.rows) = (heading, columns, rows)
    }

    /// Parts that scroll are groups, not regions: landmarks of one name cannot be told apart, and the heading's section is one.
    package var markup: Markup {
        """
        <div class="scroll" role="group" aria-labelledby="\(heading)" tabindex="0">\(bare)</div>
        """
    }

    /// The table alone.
    package var bare: Markup {
        """
        <table>
        <thead><tr>\(columns.map { "<th scope=\"col\"\($0.attribute)>\($0.title)</th>" as Markup })</tr></thead>
        <tbody>
        \(rows.map(row))</tbody>
        </table>
        """
    }

    private func row(_ cells: [Markup]) -> Markup {
        let texts = zip(columns, cells).enumerated().map { index, cell -> Markup in
            index == 0
                ? "<th scope=\"row\">\(cell.1)</th>" : "<td\(cell.0.attribute)>\(cell.1)</td>"
        }
        return "<tr>\(texts)</tr>\n"
    }
}
