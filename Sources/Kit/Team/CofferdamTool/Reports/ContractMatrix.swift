import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// A contract report for people: a row for each family of rules or each rule, a column for each adapter, and the reasons
/// below.
struct ContractMatrix {
    /// What has a row of its own. A page of families fits a screen; the others show everything.
    enum Detail: Sendable, Hashable { case families, rules, operations }

    let report: ContractReport
    /// Columns and rows are in the order of the description, followed by those that only the report has.
    let adapters: [String]
    let rules: [RuleDescription]
    let detail: Detail

    /// - Parameter detail: nil for families if there are more rules than fit a screen.
    init(_ report: ContractReport, described tooling: Tooling, detail: Detail? = nil) {
        self.report = report
        let cases = report.declared.union(report.rows.map(\.id))
        let presentAdapters = Set(cases.map(\.adapter))
        let presentRules = Set(cases.map(\.rule))
        adapters =
            tooling.adapters.map(\.name).filter(presentAdapters.contains)
            + presentAdapters.subtracting(tooling.adapters.map(\.name)).sorted()
        rules =
            tooling.rules.filter { presentRules.contains($0.id) }
            + presentRules.subtracting(tooling.rules.map(\.id)).sorted().map { RuleDescription(id: $0, title: "") }
        self.detail = detail ?? (rules.count > 20 ? .families : .rules)
    }

    func render(_ style: TerminalStyle) -> String {
        let parts =
            detail == .families
            ? [families(style), shares, troubles(style), skips(style), verdict(style)]
            : [table(style), reasons(style), verdict(style)]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The families, what is not green, and how many cases do not apply, without their reasons.
    func summary(_ style: TerminalStyle) -> String {
        guard detail == .families else { return render(style) }
        let skipped = report.rows.count { $0.standing == .skipped }
        let line = "\(skipped.grouped) cases do not apply; `contracts` says why"
        let parts = [
            families(style), shares, troubles(style), skipped > 0 ? style.apply(.dim, to: line) + "\n" : "",
            verdict(style),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    // MARK: Families

    /// How many rules of each family have which standing: "✓ 11  – 1".
    private func families(_ style: TerminalStyle) -> String {
        var table = TextTable([.init("FAMILY"), .right("RULES")] + adapters.map { .init($0) })
        let names = rules.map(\.family).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        for name in names {
            let members = rules.filter { $0.family == name }
            let cells = adapters.map { adapter -> TextTable.Cell in
                let standings = members.map { report.standing(of: $0.id, on: adapter)?.worst }
                let text = RowStanding.allCases.compactMap { standing in
                    let count = standings.count { $0 == standing }
                    return count > 0 ? "\(standing.mark) \(count)" : nil
                }
                let notRun = standings.count { $0 == nil }
                let worst = [RowStanding.crashed, .timedOut, .failed, .notJudged, .passed].first {
                    standings.contains($0)
                }
                return .init(
                    (text + (notRun > 0 ? ["not run \(notRun)"] : [])).joined(separator: "  "),
                    notRun > 0 ? .red : worst?.colour
                )
            }
            table.add([.init(name), .init("\(members.count)")] + cells)
        }
        return table.render(style)
    }

    /// How much of the contract was judged on each adapter: "v1: 58 of 60 fields, 19 of 20 operations, 98 of 107 rules
    /// judged".
    private var shares: String {
        let width = adapters.map(\.count).max() ?? 0
        return adapters.map { adapter in
            let rows = report.rows.filter { $0.adapter == adapter }
            let judged = rows.filter { ![.skipped, .notJudged].contains($0.standing) }
            func share(_ things: String, _ thing: (ContractReport.Row) -> String?) -> String? {
                let all = Set(rows.compactMap(thing)).count
                return all > 0 ? "\(Set(judged.compactMap(thing)).count) of \(all) \(things)" : nil
            }
            let shares = [
                share("fields") {
                    $0.rule.family == "VALUE" && $0.operation?.contains(".") == true ? $0.operation : nil
                },
                share("operations") { $0.operation.map { String($0.prefix { $0 != "." }) } },
                share("rules") { $0.rule.rawValue },
            ]
            let name = adapter + String(repeating: " ", count: width - adapter.count)
            return "\(name)  judged: \(shares.compactMap(\.self).joined(separator: ", "))".escapedForTerminal + "\n"
        }.joined()
    }

    /// A paragraph for each rule that failed or could not be judged, the worst last, where a terminal ends.
    private func troubles(_ style: TerminalStyle) -> String {
        let explanations = report.explanations
        let shown = RowStanding.allCases.filter { $0 != .skipped }.flatMap { standing in
            explanations.filter { $0.row.standing == standing }
        }
        let rows = shown.map { explanation in
            let row = explanation.row
            let why = (row.detail ?? "no reason given") + (report.deviation(of: row).map { "; \($0.note)" } ?? "")
            let mark = style.apply(row.standing.colour, to: "\(row.standing.mark) \(row.standing.word)")
            let text = "\(explanation.name) on \(row.adapter): \(why)".escapedForTerminal
            return "\(mark)\n" + text.wrapped(to: 78).map { "  \($0)\n" }.joined()
        }
        let problems = report.problems.map { problem in
            style.apply(.red, to: "! run") + "\n"
                + problem.escapedForTerminal.wrapped(to: 78).map { "  \($0)\n" }.joined()
        }
        return (rows + problems).joined()
    }

    /// What does not apply, by its reason, for how many cases of which adapters.
    private func skips(_ style: TerminalStyle) -> String {
        let skipped = report.rows.filter { $0.standing == .skipped }
        let reasons = Dictionary(grouping: skipped) { $0.detail ?? "no reason given" }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        guard !reasons.isEmpty else { return "" }
        var text =
            "\(skipped.count.grouped) cases do not apply, for \(reasons.count == 1 ? "1 reason" : "\(reasons.count) reasons"); --verbose names each case:\n"
        for (reason, rows) in reasons {
            let places = adapters.compactMap { adapter in
                let count = rows.count { $0.adapter == adapter }
                return count > 0 ? "\(adapter) \(count)" : nil
            }
            let line = "\(reason) (\(places.joined(separator: ", ")))".escapedForTerminal
            text += line.wrapped(to: 76).enumerated().map {
                $0.offset == 0 ? "– \($0.element)\n" : "    \($0.element)\n"
            }.joined()
        }
        return style.apply(.dim, to: text.hasSuffix("\n") ? String(text.dropLast()) : text) + "\n"
    }

    /// The result, with the other builds that ran and what the fakes may be trusted for.
    func verdict(_ style: TerminalStyle) -> String {
        let certified = report.certifications.map { certification in
            let live = certification.live.joined(separator: ", ")
            let text =
                "\(certification.fake) last passed beside \(live) on \(certification.date), "
                + "contract \(certification.digest.prefix(12))"
            return style.apply(.dim, to: text.escapedForTerminal) + "\n"
        }.joined()
        let origins = report.adapters.compactMap(\.origin).map { style.apply(.dim, to: $0.escapedForTerminal) + "\n" }
        return origins.joined() + certified
            + style.apply(report.isGreen ? .green : .red, to: "contracts: \(report.summary)") + "\n"
    }

    private func table(_ style: TerminalStyle) -> String {
        var table = TextTable(
            [.init("RULE"), .init("LEVEL")] + adapters.map { .init($0, .centre) } + [.init("PROMISE")]
        )
        for rule in rules {
            let marks = adapters.map { adapter in
                report.standing(of: rule.id, on: adapter).map { TextTable.Cell($0.mark, $0.worst.colour) }
                    ?? TextTable.Cell("not run", .red)
            }
            let level = report.rows.first { $0.rule == rule.id }?.level.rawValue ?? ""
            table.add([.init(rule.id.rawValue), .init(level)] + marks + [.init(rule.title, .dim)])
            if detail == .operations {
                for operation in operations(of: rule.id) { add(operation, of: rule.id, to: &table) }
            }
        }
        return table.render(style)
    }

    private func operations(of rule: RuleID) -> [String] {
        report.rows.reduce(into: []) { operations, row in
            guard row.rule == rule, let operation = row.operation, !operations.contains(operation) else { return }
            operations.append(operation)
        }
    }

    private func add(_ operation: String, of rule: RuleID, to table: inout TextTable) {
        let marks = adapters.map { adapter in
            report.row(of: rule, operation, on: adapter).map { TextTable.Cell($0.standing.mark, $0.standing.colour) }
                ?? TextTable.Cell("not run", .red)
        }
        table.add([.init("  \(operation)"), .init("")] + marks + [.init("")])
    }

    /// Everything that did not pass, the worst last, where a terminal ends.
    private func reasons(_ style: TerminalStyle) -> String {
        var table = TextTable([.init(""), .init("RULE"), .init("ADAPTER"), .init("WHY")])
        let explanations = report.explanations
        for explanation in RowStanding.allCases.flatMap({ standing in
            explanations.filter { $0.row.standing == standing }
        }) {
            let row = explanation.row
            table.add([
                .init("\(row.standing.mark) \(row.standing.word)", row.standing.colour), .init(explanation.name),
                .init(row.adapter),
                .init((row.detail ?? "no reason given") + (report.deviation(of: row).map { "; \($0.note)" } ?? "")),
            ])
        }
        for problem in report.problems { table.add([.init("! run", .red), "", "", .init(problem)]) }
        return table.isEmpty ? "" : table.render(style)
    }
}

extension RuleDescription {
    /// The part of the id before the number: "LIST", "shelf/SHELF".
    fileprivate var family: String { String(id.rawValue.prefix { $0 != "-" }) }
}

extension RowStanding {
    fileprivate var colour: TerminalStyle.Colour {
        switch self {
        case .passed: .green
        case .failed, .crashed: .red
        case .timedOut, .notJudged: .yellow
        case .skipped: .dim
        }
    }
}
