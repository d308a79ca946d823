import CofferdamContracts
import CofferdamTesting
import Testing

@Suite struct ContractCaseTests {
    private static let rules = [StoreContract.remembers, StoreContract.forgets, StoreContract.expires]

    @Test(arguments: contractCases(rules, [.dictionary]))
    func `a case that passes records nothing`(_ contractCase: ContractCase<Subject>) async {
        #expect(await expect(contractCase)?.outcome == .passed)
    }

    @Test(arguments: contractCases([StoreContract.remembers, StoreContract.forgets], [.constant]))
    func `a violation is an issue that names rule and adapter`(_ contractCase: ContractCase<Subject>) async {
        await withKnownIssue {
            await expect(contractCase)
        } matching: { issue in
            "\(issue.comments)".contains("\(contractCase.rule.id) on constant violated: ")
        }
    }

    @Test func `a pair that does not apply is no case, and an issue if it is made one`() async {
        #expect(
            contractCases(Self.rules, [.dictionary]).map(\.testDescription) == [
                "kv/KV-01 on dictionary", "kv/KV-02 on dictionary",
            ]
        )
        let skipped = skippedContractCases(Self.rules, [.dictionary])
        #expect(skipped.map(\.testDescription) == ["kv/KV-03 on dictionary"])
        for contractCase in skipped {
            await withKnownIssue {
                await expect(contractCase)
            } matching: { issue in
                "\(issue.comments)".contains("does not declare expiry")
            }
        }
    }
}
