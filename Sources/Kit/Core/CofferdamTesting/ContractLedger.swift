import Cofferdam
import CofferdamContracts

/// Records which cases of a contract have been executed within a test or a suite.
final class ContractLedger: Sendable {
    typealias Case = ContractReport.Case

    /// The ledgers of the enclosing suites and tests, outermost first.
    @TaskLocal static var enclosing: [ContractLedger] = []

    private let reported = Mutex<[Case: Bool]>([:])

    /// Records a case. One that the harness could not judge counts as reported, but not as executed.
    static func note(_ row: ContractReport.Row) {
        for ledger in enclosing {
            ledger.reported.withLock { $0[row.id] = row.outcome != .skipped || $0[row.id] == true }
        }
    }

    /// Returns what is wrong if exactly these cases should have been executed (KIT-01).
    func problems(declared: Set<Case>) -> [String] {
        let reported = reported.withLock { $0 }
        guard reported.values.contains(true) else { return ["no case of the contract was executed"] }
        return Self.list(declared.subtracting(reported.keys), "declared and not executed")
            + Self.list(Set(reported.keys).subtracting(declared), "executed and not declared")
    }

    private static func list(_ cases: Set<Case>, _ what: String) -> [String] {
        let names = cases.map(\.description).sorted()
        let more = names.count > 10 ? ["and \(names.count - 10) more were \(what)"] : []
        return names.prefix(10).map { "\($0) was \(what)" } + more
    }
}
