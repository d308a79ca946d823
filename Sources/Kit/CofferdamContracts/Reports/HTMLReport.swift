import Cofferdam

extension ContractDocument {
    /// One page that needs nothing else: the verdict, the matrix, the reasons and the drift.
    ///
    /// It is readable on a phone, in light and dark, with a keyboard and with a screen reader: no meaning is in colour
    /// alone, wide tables scroll in regions of their own. It is well-formed XML as well, and loads nothing.
    public func html() -> String {
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <title>\(name): \(report.summary)</title>
            <style>
            \(HTMLStyle.sheet)
            </style>
            </head>
            <body>
            <a class="skip" href="#main">Skip to the report</a>
            <header><h1>\(name)</h1>
            <p class="\(report.isGreen ? "good" : "bad")" role="status">\(report.isGreen ? "✓" : "✗") \(report.summary)</p></header>
            <main id="main">
            \([verdictSection, comparisonSection, matrixSection, reasonSection, driftSection, provenanceSection]
                .compactMap(\.self).joined())
            </main>
            </body>
            </html>

            """
        return page.description
    }

    private func section(_ id: String, _ title: String, _ content: Markup) -> Markup {
        """
        <section aria-labelledby="\(id)"><h2 id="\(id)">\(title)</h2>
        \(content)
        </section>
        """
    }

    /// A table in a region that scrolls by itself, and that the keyboard reaches.
    private func table(_ id: String, _ titles: [String], _ rows: [Markup]) -> Markup {
        """
        <div class="scroll" role="region" aria-labelledby="\(id)" tabindex="0"><table>
        <thead><tr>\(titles.map { "<th scope=\"col\">\($0)</th>" as Markup }.joined(separator: ""))</tr></thead>
        <tbody>
        \(rows.joined())
        </tbody>
        </table></div>
        """
    }

    private var verdictSection: Markup? {
        guard let verdict else { return nil }
        let style =
            switch verdict.verdict {
            case .yes: "good"
            case .no: "bad"
            case .unknown: "warn"
            }
        let until: Markup = verdict.expires.map { " <small>until \($0.description)</small>" } ?? ""
        let lines = (verdict.reasons + verdict.notes).map { "<li>\($0)</li>" as Markup }
        return section(
            "verdict",
            "May we upgrade?",
            "<p class=\"verdict \(style)\">\(verdict.verdict.rawValue)\(until)</p><ul>\(lines.joined())</ul>"
        )
    }

    private var comparisonSection: Markup? {
        guard let comparison else { return nil }
        let rows = RuleVerdict.allCases.map { verdict -> Markup in
            let rules = comparison.rules(verdict)
            let shown = verdict == .passes ? "" : rules.joined(separator: ", ")
            return "<tr><th scope=\"row\">\(verdict.words)</th><td>\(rules.count)</td><td>\(shown)</td></tr>"
        }
        return section(
            "comparison",
            "\(comparison.legacy) → \(comparison.candidate)",
            table("comparison", ["verdict", "rules", "which"], rows)
        )
    }

    private var matrixSection: Markup {
        let rows = rules.map { rule -> Markup in
            let cells = adapters.map { cell(of: rule.id, on: $0) }
            return """
                <tr><th scope="row">\(rule.id.rawValue)</th>\(cells.joined(separator: ""))<td>\(rule.level.rawValue)</td>\
                <td class="wide">\(rule.title)\(operations(of: rule))</td></tr>
                """
        }
        return section(
            "matrix",
            "Rules and adapters",
            table("matrix", ["rule"] + adapters + ["level", "promise"], rows)
        )
    }

    /// What came of a rule over all its operations; the worst of them is linked to.
    private func cell(of rule: RuleID, on adapter: String) -> Markup {
        let rows = report.rows(of: rule, on: adapter)
        guard let standing = report.standing(of: rule, on: adapter) else { return cell(nil) }
        return cell(rows.first { $0.standing == standing.worst }, standing.part ?? "")
    }

    /// The rule unfolded: a line for each operation.
    private func operations(of rule: RuleDescription) -> Markup {
        guard rule.operations.count > 1 else { return "" }
        let rows = rule.operations.map { operation -> Markup in
            let cells = adapters.map { cell(report.row(of: rule.id, operation, on: $0)) }
            return "<tr><th scope=\"row\">\(operation)</th>\(cells.joined(separator: ""))</tr>"
        }
        let titles = (["operation"] + adapters).map { "<th scope=\"col\">\($0)</th>" as Markup }
        return """
            <details><summary>\(rule.operations.count) operations</summary><table>
            <thead><tr>\(titles.joined(separator: ""))</tr></thead><tbody>\(rows.joined())</tbody></table></details>
            """
    }

    private func cell(_ row: ContractReport.Row?, _ part: String = "") -> Markup {
        guard let row else { return "<td class=\"bad\">not run</td>" }
        let content: Markup = "<span aria-hidden=\"true\">\(row.standing.mark)</span> \(row.standing.word) \(part)"
        guard row.outcome != .passed else { return "<td class=\"good\">\(content)</td>" }
        return "<td class=\"\(style(of: row))\"><a href=\"#\(anchor(of: row))\">\(content)</a></td>"
    }

    private func style(of row: ContractReport.Row) -> String {
        switch row.outcome {
        case .passed: "good"
        case .skipped: "muted"
        case .failed: report.deviation(of: row) == nil ? "bad" : "warn"
        case .crashed: "bad"
        case .timedOut: "warn"
        }
    }

    private func anchor(of row: ContractReport.Row) -> String {
        (["why", row.rule.rawValue, row.operation, row.adapter] as [String?]).compactMap(\.self).joined(separator: "-")
            .replacing(" ", with: "-")
    }

    private var reasonSection: Markup? {
        let items = report.rowsToExplain.map { row -> Markup in
            let known: Markup = report.deviation(of: row).map { " <em>\($0.note)</em>" } ?? ""
            return """
                <li id="\(anchor(of: row))"><strong class="\(style(of: row))">\(row.id.description): \
                \(row.standing.word)</strong> \(row.detail ?? "no reason given")\(known)</li>
                """
        }
        let problems = report.problems.map { "<li><strong class=\"bad\">run</strong> \($0)</li>" as Markup }
        let all = problems + items
        return all.isEmpty ? nil : section("why", "Why", "<ul>\(all.joined())</ul>")
    }

    private var driftSection: Markup? {
        guard !drift.isEmpty else { return nil }
        let rows = drift.map { line -> Markup in
            """
            <tr><th scope="row">\(line.tier)</th><td>\(line.id ?? "–")</td><td>\(line.place)</td>\
            <td>\(line.legacy ?? "nothing")</td><td>\(line.candidate ?? "nothing")</td>\
            <td class="wide">\(line.reason ?? "")</td></tr>
            """
        }
        return section("drift", "Drift", table("drift", ["tier", "id", "where", "old", "new", "why"], rows))
    }

    private var provenanceSection: Markup {
        let facts = provenance.map { "<dt>\($0.name)</dt><dd>\($0.value)</dd>" as Markup }
        return section("provenance", "On what", "<dl>\(facts.joined())</dl>")
    }
}
