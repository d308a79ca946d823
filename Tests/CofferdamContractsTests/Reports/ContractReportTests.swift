import CofferdamContracts
import Foundation
import Testing

@Suite struct ContractReportTests {
    private func row(
        _ rule: RuleID,
        _ adapter: String,
        _ outcome: ContractReport.Outcome = .passed,
        detail: String? = nil
    ) -> ContractReport.Row {
        .init(rule: rule, level: .must, adapter: adapter, outcome: outcome, seconds: 0.25, detail: detail)
    }

    @Test func `a report is one object of digest and rows`() throws {
        let report = ContractReport(
            digest: "abc",
            rows: [row("kv/KV-01", "v1"), row("kv/KV-02", "v1", .timedOut, detail: "not finished")]
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(report), as: UTF8.self)
        let first = #"{"adapter":"v1","level":"M","outcome":"passed","rule":"kv/KV-01","seconds":0.25}"#
        let second =
            #"{"adapter":"v1","detail":"not finished","level":"M","outcome":"timedOut","rule":"kv/KV-02","seconds":0.25}"#
        #expect(json == #"{"digest":"abc","rows":[\#(first),\#(second)]}"#)
        #expect(try JSONDecoder().decode(ContractReport.self, from: Data(json.utf8)) == report)
    }

    @Test func `outcomes have the names that machines know`() {
        let outcomes: [ContractReport.Outcome] = [.passed, .failed, .skipped, .crashed, .timedOut]
        #expect(outcomes.map(\.rawValue) == ["passed", "failed", "skipped", "crashed", "timedOut"])
    }

    @Test(arguments: [ContractReport.Outcome.failed, .crashed, .timedOut])
    func `one failure is enough`(_ outcome: ContractReport.Outcome) {
        #expect(!ContractReport(rows: [row("kv/KV-01", "v1"), row("kv/KV-02", "v1", outcome)]).isGreen)
    }

    @Test func `the executed cases must be the declared ones (KIT-01)`() {
        let declared: Set<ContractReport.Case> = [
            .init(rule: "kv/KV-01", adapter: "v1"), .init(rule: "kv/KV-02", adapter: "v1"),
        ]
        let missing = ContractReport(rows: [row("kv/KV-01", "v1")], declared: declared)
        #expect(missing.problems == ["kv/KV-02 on v1 was declared and is not in the report"])
        #expect(!missing.isGreen)
        let rows = [row("kv/KV-01", "v1"), row("kv/KV-01", "v1"), row("kv/KV-02", "v1"), row("kv/KV-03", "v1")]
        let surplus = ContractReport(rows: rows, declared: declared)
        #expect(surplus.problems == ["kv/KV-01 on v1 is in the report 2 times", "kv/KV-03 on v1 was not declared"])
    }

    @Test func `a row that was skipped says why (KIT-04)`() {
        let report = ContractReport(rows: [row("kv/KV-01", "v1"), row("kv/KV-02", "v1", .skipped)])
        #expect(report.problems == ["kv/KV-02 on v1 was skipped without a reason"])
    }

    @Test func `the contract's text does not depend on the order of rules, and changes with each of them`() {
        let rules = [StoreContract.remembers, StoreContract.forgets, StoreContract.expires]
        #expect(
            contractText(of: rules) == """
                kv/KV-01 M [] A value that was set is found
                kv/KV-02 M [] A key that was not set has no value
                kv/KV-03 O [expiry] Values expire

                """
        )
        #expect(contractText(of: rules) == contractText(of: rules.reversed()))
        #expect(contractText(of: rules) != contractText(of: rules.dropLast()))
    }
}
