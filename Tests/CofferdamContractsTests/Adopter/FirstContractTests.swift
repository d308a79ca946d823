import CofferdamContracts
import CofferdamTesting
import Testing

// snippet: tests
@Suite struct StorageTests {
    @Test(arguments: contractCases(StorageContract.rules, [.vault, .memory]))
    func `every adapter keeps every rule that applies to it`(_ contractCase: ContractCase<StorageSubject>) async {
        await expect(contractCase)
    }

    @Test func `every mutant is killed by its own rule, and every rule of level M has one`() async {
        let report = await MutationRunner(rules: StorageContract.rules, adapter: .vault).run(StorageContract.mutants)
        #expect(report.problems.isEmpty)
    }
}
// end

@Suite struct FirstContractTests {
    @Test func `the first try fails where the guide says it does`() async {
        let rules = [StorageRules.remembers, StorageRules.missing]
        let report = await ContractRunner(rules: rules, adapters: [.firstTry]).run()
        #expect(report.rows.map(\.outcome) == [.passed, .failed])
        #expect(report.rows.last?.detail == "expected it to be missing, got \"\"")
    }

    @Test func `what does not apply is skipped with the reason`() {
        let skipped = skippedContractCases(StorageContract.rules, [.vault, .memory])
        #expect(
            skipped.map(\.testDescription) == [
                "LIST-08 on vault", "LIST-09 on vault", "LIST-11 on vault", "LIST-13 on vault",
                "LIST-04 on memory", "LIST-08 on memory", "LIST-09 on memory", "LIST-11 on memory",
                "LIST-13 on memory",
            ]
        )
    }
}
