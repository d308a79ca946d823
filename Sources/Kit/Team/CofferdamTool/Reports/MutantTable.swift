import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// A mutant report for people: the number of mutants with each outcome, and those that prove nothing.
struct MutantTable {
    let report: MutationReport

    func render(_ style: TerminalStyle) -> String {
        var table = TextTable([.init("RULE"), .init("OPERATION"), .init("MUTANT"), .init("OUTCOME"), .init("WHY")])
        for row in report.rows {
            let isKilled = row.outcome == .killed
            table.add([
                .init(row.rule.rawValue), .init(row.operation ?? ""), .init(row.mutant),
                .init(row.outcome.rawValue, isKilled ? .green : row.outcome == .skipped ? .dim : .red),
                .init(isKilled ? "" : row.detail ?? ""),
            ])
        }
        let rows = table.isEmpty ? "" : table.render(style) + "\n"
        let problems = report.problems.map { style.apply(.red, to: "- \($0.escapedForTerminal)") + "\n" }.joined()
        let counts = MutationOutcome.allCases.compactMap { outcome -> String? in
            let count = report.count(of: outcome)
            return count == 0 ? nil : "\(count) \(outcome.rawValue)"
        }
        let summary = counts.isEmpty ? "none was run" : counts.joined(separator: ", ")
        return rows + problems + style.apply(report.isGreen ? .green : .red, to: "mutants: \(summary)") + "\n"
    }
}
