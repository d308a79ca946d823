/// The rows of a report, indexed by case.
struct RowIndex {
    private struct Place: Hashable {
        var rule: RuleID
        var adapter: String
    }

    private let places: [Place: [ContractReport.Row]]
    private let cases: [ContractReport.Case: ContractReport.Row]

    init(_ report: ContractReport) {
        places = Dictionary(grouping: report.rows) { Place(rule: $0.rule, adapter: $0.adapter) }
        cases = Dictionary(report.rows.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The rows of a rule, one for each operation.
    func rows(of rule: RuleID, on adapter: String) -> [ContractReport.Row] {
        places[Place(rule: rule, adapter: adapter)] ?? []
    }

    /// The first row of a case.
    func row(of rule: RuleID, _ operation: String?, on adapter: String) -> ContractReport.Row? {
        cases[ContractReport.Case(rule: rule, operation: operation, adapter: adapter)]
    }
}
