import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// A contract report for people: a row for each rule, over all its operations, a column for each adapter, and the
/// reasons below.
struct ContractMatrix {
    let report: ContractReport
    /// Columns and rows are in the order of the description, followed by those that only the report has.
    let adapters: [String]
    let rules: [RuleDescription]
    /// Whether each rule also has a line for each of its operations.
    let isUnfolded: Bool

    init(_ report: ContractReport, described tooling: Tooling, isUnfolded: Bool = false) {
        self.report = report
        self.isUnfolded = isUnfolded
        let cases = report.declared.union(report.rows.map(\.id))
        let presentAdapters = Set(cases.map(\.adapter))
        let presentRules = Set(cases.map(\.rule))
        adapters =
            tooling.adapters.map(\.name).filter(presentAdapters.contains)
            + presentAdapters.subtracting(tooling.adapters.map(\.name)).sorted()
        rules =
            tooling.rules.filter { presentRules.contains($0.id) }
            + presentRules.subtracting(tooling.rules.map(\.id)).sorted().map { RuleDescription(id: $0, title: "") }
    }

    func render(_ style: TerminalStyle) -> String {
        [table(style), reasons(style), verdict(style)].filter { !$0.isEmpty }.joined(separator: "\n")
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
            if isUnfolded { for operation in operations(of: rule.id) { add(operation, of: rule.id, to: &table) } }
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
