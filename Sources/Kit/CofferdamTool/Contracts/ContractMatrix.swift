import Cofferdam
import CofferdamContracts

/// A contract report for people: a row for each rule, a column for each adapter, and under it why.
struct ContractMatrix {
    let report: ContractReport
    /// Columns and rows in the order in which they were described; what only the report has comes after.
    let adapters: [String]
    let rules: [RuleSummary]

    init(_ report: ContractReport, described tooling: Tooling) {
        self.report = report
        let pairs = report.declared.union(report.rows.map(\.pair))
        let presentAdapters = Set(pairs.map(\.adapter))
        let presentRules = Set(pairs.map(\.rule))
        adapters =
            tooling.adapters.filter(presentAdapters.contains)
            + presentAdapters.subtracting(tooling.adapters).sorted()
        rules =
            tooling.rules.filter { presentRules.contains($0.id) }
            + presentRules.subtracting(tooling.rules.map(\.id)).sorted().map { RuleSummary(id: $0, title: "") }
    }

    func render(_ style: TerminalStyle) -> String {
        [table(style), reasons(style), verdict(style)].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// One line: what came out.
    func verdict(_ style: TerminalStyle) -> String {
        let counts = Dictionary(report.rows.map { ($0.outcome, 1) }, uniquingKeysWith: +)
        let text = Self.order.compactMap { outcome in
            counts[outcome].map { "\($0) \(outcome.word)" }
        }
        let summary = text.isEmpty ? "nothing was run" : text.joined(separator: ", ")
        return style.apply(report.isGreen ? .green : .red, to: "contracts: \(summary)") + "\n"
    }

    private func table(_ style: TerminalStyle) -> String {
        let rows = Dictionary(report.rows.map { ($0.pair, $0) }, uniquingKeysWith: { first, _ in first })
        var table = TextTable(
            [.init("RULE"), .init("LEVEL")] + adapters.map { .init($0, .centre) } + [.init("PROMISE")]
        )
        for rule in rules {
            let rowsOfRule = adapters.map { rows[.init(rule: rule.id, adapter: $0)] }
            let level = rowsOfRule.lazy.compactMap { $0?.level.rawValue }.first ?? ""
            let marks = rowsOfRule.map { row in
                row.map { TextTable.Cell($0.outcome.mark, $0.outcome.colour) } ?? TextTable.Cell("not run", .red)
            }
            table.add([.init(rule.id.rawValue), .init(level)] + marks + [.init(rule.title, .dim)])
        }
        return table.render(style)
    }

    /// Everything that is not simply kept, worst first.
    private func reasons(_ style: TerminalStyle) -> String {
        var table = TextTable([.init(""), .init("RULE"), .init("ADAPTER"), .init("WHY")])
        for outcome in Self.order.reversed() where outcome != .passed {
            for row in report.rows where row.outcome == outcome {
                table.add([
                    .init("\(outcome.mark) \(outcome.word)", outcome.colour), .init(row.rule.rawValue),
                    .init(row.adapter),
                    .init(row.detail ?? "no reason given"),
                ])
            }
        }
        for problem in report.problems { table.add([.init("! run", .red), "", "", .init(problem)]) }
        return table.isEmpty ? "" : table.render(style)
    }

    private static let order: [ContractReport.Outcome] = [.passed, .skipped, .violated, .timedOut, .crashed]
}

extension ContractReport.Outcome {
    fileprivate var mark: String {
        switch self {
        case .passed: "✓"
        case .violated: "✗"
        case .skipped: "–"
        case .crashed: "!"
        case .timedOut: "…"
        }
    }

    fileprivate var word: String {
        switch self {
        case .passed: "kept"
        case .violated: "violated"
        case .skipped: "skipped"
        case .crashed: "crashed"
        case .timedOut: "timed out"
        }
    }

    fileprivate var colour: TerminalStyle.Colour {
        switch self {
        case .passed: .green
        case .violated, .crashed: .red
        case .timedOut: .yellow
        case .skipped: .dim
        }
    }
}
