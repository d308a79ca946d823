package import CofferdamPages  // for Page

extension ContractDocument {
    /// Returns a self-contained page: the verdict, the matrix, the reasons and the drift.
    ///
    /// The page works on a phone, in light and dark mode, with a keyboard and with a screen reader: no meaning is in
    /// colour alone, and wide tables scroll in their own regions. It is also well-formed XML, and loads nothing.
    package func html() -> String { page().html() }

    /// Returns the same page for a server, which adds navigation and the report's origin.
    package func page(
        _ kind: Page.Kind = .saved,
        navigation: Markup = "",
        subtitle: Markup = ""
    ) -> Page {
        let sections = [
            verdictSection, comparisonSection, matrixSection, reasonSection, drift?.section, provenanceSection,
        ]
        return Page(
            kind,
            title: "\(name): \(report.summary)",
            heading: name,
            verdict: .init(report.isGreen ? .good : .bad, "\(report.isGreen ? "✓" : "✗") \(report.summary)"),
            navigation: navigation,
            subtitle: subtitle,
            content: sections.compactMap(\.self).joined()
        )
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
        let lines = verdict.reasons + verdict.notes
        return PagePart.section(
            "verdict",
            "May we upgrade?",
            "<p class=\"verdict \(style)\">\(verdict.verdict.rawValue)\(until)</p>\(Self.unfolding(lines))"
        )
    }

    /// The first short lines, with the others folded away.
    private static func unfolding(_ lines: [String]) -> Markup {
        let short = lines.indices.filter { lines[$0].utf8.count <= 200 }.prefix(6)
        let others = lines.indices.filter { !short.contains($0) }
        func list(_ places: some Sequence<Int>) -> Markup { PagePart.list(places.map { Markup(text: lines[$0]) }) }
        guard !others.isEmpty else { return list(short) }
        return "\(list(short))<details><summary>\(others.count) more</summary>\(list(others))</details>"
    }

    private var comparisonSection: Markup? {
        guard let comparison else { return nil }
        let rows = RuleVerdict.allCases.map { verdict -> [Markup] in
            let rules = comparison.rules(verdict)
            let shown = verdict == .passes ? "" : rules.joined(separator: ", ")
            let list: Markup =
                rules.count > 10 && !shown.isEmpty
                ? "<details><summary>\(rules.count) rules</summary>\(shown)</details>" : "\(shown)"
            return ["\(verdict.words)", "\(rules.count)", list]
        }
        return PagePart.section(
            "comparison",
            "\(comparison.legacy) → \(comparison.candidate)",
            PageTable("comparison", ["verdict", .number("rules"), .wide("which")], rows).markup
        )
    }

    private var matrixSection: Markup {
        let (index, adapters) = (RowIndex(report), adapters)
        let rows = rules.map { rule -> [Markup] in
            ["\(rule.id.rawValue)"] + adapters.map { cell(of: index.rows(of: rule.id, on: $0)) }
                + ["\(String(describing: rule.level))", "\(rule.title)\(operations(of: rule, adapters, index))"]
        }
        let columns: [PageTable.Column] =
            ["rule"] + adapters.map { PageTable.Column($0) } + ["level", .wide("promise")]
        return PagePart.section("matrix", "Rules and adapters", PageTable("matrix", columns, rows).markup)
    }

    /// A rule's result over all its operations, linked to the worst of them.
    private func cell(of rows: [ContractReport.Row]) -> Markup {
        guard let standing = FoldedStanding(rows) else { return cell(nil) }
        return cell(rows.first { $0.standing == standing.worst }, standing.part ?? "")
    }

    /// The rule's results by operation, folded away.
    private func operations(of rule: RuleDescription, _ adapters: [String], _ index: RowIndex) -> Markup {
        guard rule.operations.count > 1 else { return "" }
        let rows = rule.operations.map { operation -> [Markup] in
            ["\(operation)"] + adapters.map { cell(index.row(of: rule.id, operation, on: $0)) }
        }
        let table = PageTable("matrix", ["operation"] + adapters.map { PageTable.Column($0) }, rows)
        return "<details><summary>\(rule.operations.count) operations</summary>\(table.bare)</details>"
    }

    private func cell(_ row: ContractReport.Row?, _ part: String = "") -> Markup {
        guard let row else { return "<span class=\"bad\">not run</span>" }
        let content: Markup = "<span aria-hidden=\"true\">\(row.standing.mark)</span> \(row.standing.word) \(part)"
        guard row.outcome != .passed else { return "<span class=\"good\">\(content)</span>" }
        return "<span class=\"\(style(of: row))\"><a href=\"#\(anchor(of: row))\">\(content)</a></span>"
    }

    private func style(of row: ContractReport.Row) -> String {
        switch row.outcome {
        case .passed: "good"
        case .skipped: "muted"
        case .failed, .crashed, .timedOut: report.deviation(of: row) == nil ? "bad" : "warn"
        }
    }

    private func anchor(of row: ContractReport.Row) -> String {
        (["why", row.rule.rawValue, row.operation, row.adapter] as [String?]).compactMap(\.self).joined(separator: "-")
            .replacing(" ", with: "-")
    }

    private var reasonSection: Markup? {
        let rows = report.rowsToExplain
        let items = rows.filter { $0.standing != .skipped }.map(item)
        let problems = report.problems.map { "<li><strong class=\"bad\">run</strong> \($0)</li>" as Markup }
        let all = problems + items
        let skipped = folded(rows.filter { $0.standing == .skipped })
        guard !all.isEmpty || !skipped.isEmpty else { return nil }
        return PagePart.section(
            "why",
            "Why",
            "\(all.isEmpty ? "" : "<ul>\(all.joined())</ul>" as Markup)\(skipped.joined())"
        )
    }

    private func item(_ row: ContractReport.Row) -> Markup {
        let known: Markup = report.deviation(of: row).map { " <em>\($0.note)</em>" } ?? ""
        return """
            <li id="\(anchor(of: row))"><strong class="\(style(of: row))">\(row.id.description): \
            \(row.standing.word)</strong> \(row.detail ?? "no reason given")\(known)</li>
            """
    }

    /// The cases that do not apply, folded by their reason, the most frequent first.
    private func folded(_ rows: [ContractReport.Row]) -> [Markup] {
        let reasons = Dictionary(grouping: rows) { $0.detail ?? "no reason given" }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        return reasons.map { (reason, rows) -> Markup in
            let count = rows.count == 1 ? "1 case does" : "\(rows.count) cases do"
            let items: [Markup] = rows.map(item)
            return "<details><summary>\(count) not apply: \(reason)</summary><ul>\(items.joined())</ul></details>\n"
        }
    }

    private var provenanceSection: Markup {
        let facts = provenance.map { (name: $0.name, value: Markup(text: $0.value)) }
        return PagePart.section("provenance", "Based on", PagePart.facts(facts))
    }
}

extension DriftReport {
    /// The drifts, the gravest first.
    package var section: Markup {
        let rows = DriftTier.allCases.reversed().flatMap { tier in drifts.filter { $0.tier == tier } }
            .map { drift -> [Markup] in
                [
                    "\(drift.tier.rawValue)", "\(drift.id ?? "–")", "\(drift.place)",
                    drift.legacy.map(PagePart.text) ?? "nothing", drift.candidate.map(PagePart.text) ?? "nothing",
                    drift.reason.map(PagePart.text) ?? "",
                ]
            }
        let columns: [PageTable.Column] = [
            "tier", "id", "where", .wide(legacy), .wide(candidate), .wide("why"),
        ]
        let table: Markup = rows.isEmpty ? "" : PageTable("drift", columns, rows).markup
        return PagePart.section("drift", "Drift", "<p>\(summary)</p>\n\(table)")
    }
}
