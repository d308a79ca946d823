import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// The durations of a contract run: of each case, of each rule and adapter, and of the whole run. The slowest come
/// first.
struct ContractTimings: Sendable, Hashable, Encodable {
    /// The whole run, including the time outside its cases, such as starting processes and reading the fixtures.
    let seconds: Double
    let cases: Int
    /// The sum of the cases.
    let secondsInCases: Double
    /// The adapters, in the order of the columns.
    let adapters: [Adapter]
    let rules: [Rule]
    let rows: [Row]
    /// Where and when the run was made.
    let stamp: RunStamp?
    /// Why the run ended before its last case; nil if it did not.
    let stop: String?

    struct Adapter: Sendable, Hashable, Encodable {
        let adapter: String
        let cases: Int
        let seconds: Double
    }

    struct Rule: Sendable, Hashable, Encodable {
        let rule: RuleID
        let cases: Int
        let seconds: Double
    }

    struct Row: Sendable, Hashable, Encodable {
        let rule: RuleID
        let operation: String?
        let adapter: String
        let outcome: ContractReport.Outcome
        let seconds: Double
    }

    init(_ report: ContractReport, described tooling: Tooling, whole: Duration) {
        let rows = report.rows
        seconds = whole / .seconds(1)
        cases = rows.count
        secondsInCases = rows.seconds
        adapters = tooling.adapters.map(\.name).compactMap { name in
            let own = rows.filter { $0.adapter == name }
            return own.isEmpty ? nil : Adapter(adapter: name, cases: own.count, seconds: own.seconds)
        }
        rules = Dictionary(grouping: rows, by: \.rule)
            .map { Rule(rule: $0, cases: $1.count, seconds: $1.seconds) }
            .sorted { ($1.seconds, $0.rule) < ($0.seconds, $1.rule) }
        self.rows = rows.map { row in
            Row(
                rule: row.rule,
                operation: row.operation,
                adapter: row.adapter,
                outcome: row.outcome,
                seconds: row.seconds
            )
        }
        .sorted { ($1.seconds, $0.rule) < ($0.seconds, $1.rule) }
        stamp = report.stamp
        stop = report.stop
    }

    // MARK: For people

    /// A table with a line for each rule, a column for each adapter, and the sums.
    ///
    /// - Parameter isUnfolded: whether each rule also has a line for each of its operations.
    func render(_ style: TerminalStyle, isUnfolded: Bool = false) -> String {
        let names = adapters.map(\.adapter)
        var table = TextTable(
            [.init("RULE"), .right("CASES")] + names.map { .right($0) } + [.right("TOTAL"), .right("SHARE")]
        )
        for (rule, rows) in rowsOfRules {
            table.add(line(rule.rule.rawValue, rows, names))
            guard isUnfolded else { continue }
            for (operation, rows) in Self.operations(rows) { table.add(line("  \(operation)", rows, names)) }
        }
        table.add(
            [.init("total", .bold), .init("\(cases)")] + adapters.map { .init($0.seconds.shown) }
                + [.init(secondsInCases.shown, .bold)]
        )
        let rest = max(0, seconds - secondsInCases)
        return table.render(style) + "\n"
            + style.apply(.bold, to: "the whole run: \(seconds.shown), \(rest.shown) of it outside the cases") + "\n"
            + (stop.map { style.apply(.red, to: "the run is incomplete: \($0)".escapedForTerminal) + "\n" } ?? "")
    }

    private var rowsOfRules: [(rule: Rule, rows: [Row])] {
        let rows = Dictionary(grouping: self.rows, by: \.rule)
        return rules.map { ($0, rows[$0.rule] ?? []) }
    }

    /// The operations of a rule, slowest first; none if the rule belongs to no single operation.
    private static func operations(_ rows: [Row]) -> [(operation: String, rows: [Row])] {
        let groups = Dictionary(grouping: rows.filter { $0.operation != nil }) { $0.operation ?? "" }
        return groups.map { ($0, $1) }.sorted { ($1.rows.seconds, $0.operation) < ($0.rows.seconds, $1.operation) }
    }

    private func line(_ name: String, _ rows: [Row], _ adapters: [String]) -> [TextTable.Cell] {
        let columns = adapters.map { adapter in
            let own = rows.filter { $0.adapter == adapter }
            return TextTable.Cell(own.allSatisfy { $0.outcome == .skipped } ? "–" : own.seconds.shown)
        }
        let share = secondsInCases > 0 ? "\(Int((rows.seconds / secondsInCases * 100).rounded())) %" : ""
        return [.init(name), .init("\(rows.count)")] + columns + [.init(rows.seconds.shown), .init(share)]
    }
}

extension [ContractReport.Row] {
    fileprivate var seconds: Double { reduce(0) { $0 + $1.seconds } }
}

extension [ContractTimings.Row] {
    fileprivate var seconds: Double { reduce(0) { $0 + $1.seconds } }
}

extension Double {
    /// "0.012 s".
    fileprivate var shown: String {
        let thousandths = Int((Swift.max(0, self) * 1000).rounded())
        let fraction = "\(1000 + thousandths % 1000)".dropFirst()
        return "\(thousandths / 1000).\(fraction) s"
    }
}
