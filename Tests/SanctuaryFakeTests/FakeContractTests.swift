import CofferdamContracts
import CofferdamTesting
import SanctuaryContracts
import SanctuaryDomain
import SanctuaryFake
import Testing

/// Rules for features that none of the six ports has: resuming a stream, and uploads.
let unported: [RuleID] = ["STRM-10", "BIN-08"]

@Suite struct FakeContractTests {
    @Test(
        .serialized,
        .coversContract(SanctuaryContract.rules, on: [.fake]),
        arguments: contractCases(SanctuaryContract.rules, [.fake])
    )
    func `the fake keeps every rule that applies to it`(_ contractCase: ContractCase<SanctuarySubject>) async {
        let row = await expect(contractCase)
        #expect(row?.outcome == .passed)
    }

    @Test func `the contract has the rules it is known to have`() {
        let ids = RuleDescription.all(of: SanctuaryContract.rules).map(\.id)
        let known: [RuleID] = [
            "LIST-01", "LIST-02", "LIST-03", "LIST-04", "LIST-05", "LIST-06", "LIST-07", "LIST-08", "LIST-09",
            "LIST-10", "LIST-11", "LIST-13", "LIST-14", "LIST-15", "LIST-16",
            "GET-01", "GET-02", "GET-03", "GET-04", "GET-05", "GET-06", "GET-07", "GET-08",
            "MUT-01", "MUT-02", "MUT-03", "MUT-04", "MUT-05", "MUT-06", "MUT-07", "MUT-08", "MUT-09",
            "STRM-01", "STRM-02", "STRM-03", "STRM-04", "STRM-05", "STRM-06", "STRM-07", "STRM-08", "STRM-09",
            "STRM-10",
            "STRM-11", "STRM-12", "STRM-13",
            "AUTH-01", "AUTH-02", "AUTH-03", "AUTH-04", "AUTH-05", "AUTH-06", "AUTH-07", "AUTH-08", "AUTH-09",
            "AUTH-10", "AUTH-11", "AUTH-12", "AUTH-13", "AUTH-14", "AUTH-15",
            "BIN-01", "BIN-02", "BIN-03", "BIN-04", "BIN-05", "BIN-06", "BIN-07", "BIN-08", "BIN-09",
            "CANC-01", "CANC-02", "CANC-03", "CANC-04", "CANC-05", "CANC-06", "CANC-07", "CANC-08", "CANC-09",
            "TIME-01", "TIME-02", "TIME-03", "TIME-04", "TIME-05", "TIME-06", "TIME-07", "TIME-08",
            "ERR-01", "ERR-02", "ERR-03", "ERR-04", "ERR-05", "ERR-06", "ERR-07", "ERR-08",
            "VALUE-01", "VALUE-02", "VALUE-03", "VALUE-04", "VALUE-05",
            "LIFE-01", "LIFE-02", "LIFE-03", "LIFE-04", "LIFE-05",
            "LIFE-06", "LIFE-07",
            "WAIT-01", "WAIT-02", "WAIT-03", "WAIT-04", "WAIT-05", "WAIT-06", "WAIT-07",
        ]
        #expect(ids == known)
        #expect(namingProblems(of: SanctuaryContract.rules) == [])
        let skipped = skippedContractCases(SanctuaryContract.rules, [.fake]).filter { $0.rule.inapplicability == nil }
        #expect(Set(skipped.map(\.rule.id)) == Set(unported))
    }

    @Test func `a run over the fake is green and reports every case`() async {
        let report = await ContractRunner(rules: SanctuaryContract.rules, adapters: [.fake]).run()
        #expect(report.problems.isEmpty)
        let inapplicable = Set(SanctuaryContract.rules.filter { $0.inapplicability != nil }.map(\.name))
        let others = report.rows.filter { row in
            row.outcome != .passed && !inapplicable.contains("\(row.rule) of \(row.operation ?? "")")
        }
        #expect(Set(others.map(\.rule)) == Set(unported))
        #expect(report.rows.count { $0.outcome == .skipped } >= inapplicable.count)
        #expect(report.rows.count == SanctuaryContract.rules.count)
        #expect(report.isGreen)
    }

    @Test func `the fake is tested with the capabilities that its services declare`() {
        #expect(FakeSanctuary().services.capabilities == FakeSanctuary.capabilities)
    }
}
