import Cofferdam
import CofferdamContracts

/// Which cases of a contract have really been executed within a test or a suite.
final class ContractLedger: Sendable {
    typealias Case = ContractReport.Case

    /// Those of the suites and tests around, outermost first.
    @TaskLocal static var around: [ContractLedger] = []

    private let executed = Mutex<Set<Case>>([])

    static func note(_ row: ContractReport.Row) {
        guard row.outcome != .skipped else { return }
        for ledger in around { ledger.executed.withLock { _ = $0.insert(row.id) } }
    }

    /// What is wrong where just these were to be executed (KIT-01).
    func problems(declared: Set<Case>) -> [String] {
        let executed = executed.withLock { $0 }
        guard !executed.isEmpty else { return ["no case of the contract was executed"] }
        return Self.list(declared.subtracting(executed), "declared and not executed")
            + Self.list(executed.subtracting(declared), "executed and not declared")
    }

    private static func list(_ cases: Set<Case>, _ what: String) -> [String] {
        let names = cases.map(\.description).sorted()
        let more = names.count > 10 ? ["and \(names.count - 10) more were \(what)"] : []
        return names.prefix(10).map { "\($0) was \(what)" } + more
    }
}
