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
            "\(issue.comments)".contains("\(contractCase.rule.id) on constant failed: ")
        }
    }

    private func known(_ rule: RuleID, _ adapter: String, isIntermittent: Bool = false) -> KnownDeviation {
        KnownDeviation(
            .rule(rule, on: adapter),
            reason: "r",
            link: Made.link,
            expires: "2026-12-01",
            isIntermittent: isIntermittent
        )
    }

    @Test func `a known violation fails nothing until it expires`() async {
        let violated = ContractCase(StoreContract.remembers, on: .constant)
        let known = known("kv/KV-01", "constant")
        #expect(await expect(violated, deviations: [known], today: "2026-12-01")?.outcome == .failed)
        await withKnownIssue {
            await expect(violated, deviations: [known], today: "2026-12-02")
        } matching: { issue in
            "\(issue.comments)".contains("kv/KV-01 on constant failed: ")
        }
        var crash = known
        crash.outcome = .crashed
        await withKnownIssue { await expect(violated, deviations: [crash], today: "2026-12-01") }
    }

    @Test func `a known failure that passes is an issue, unless it is intermittent`() async {
        let passing = ContractCase(StoreContract.remembers, on: .dictionary)
        let sometimes = known("kv/KV-01", "dictionary", isIntermittent: true)
        #expect(await expect(passing, deviations: [sometimes], today: "2026-12-01")?.outcome == .passed)
        let always = known("kv/KV-01", "dictionary")
        await withKnownIssue {
            await expect(passing, deviations: [always], today: "2026-12-01")
        } matching: { issue in
            "\(issue.comments)".contains("kv/KV-01 on dictionary is known to deviate, and passed: \(Made.link)")
        }
    }

    @Test func `a pair that does not apply is not a case, and fails nothing if it is made one`() async throws {
        #expect(
            contractCases(Self.rules, [.dictionary]).map(\.testDescription) == [
                "kv/KV-01 on dictionary", "kv/KV-02 on dictionary",
            ]
        )
        let skipped = skippedContractCases(Self.rules, [.dictionary])
        #expect(skipped.map(\.testDescription) == ["kv/KV-03 on dictionary"])
        let test = try #require(Test.current)
        let warnings = IssueHandlingTrait.compactMapIssues { issue in
            #if compiler(>=6.3)
            #expect(issue.severity == .warning)
            #endif
            #expect("\(issue.comments)".contains("does not declare expiry"))
            return nil
        }
        try await warnings.provideScope(for: test, testCase: nil) {
            for contractCase in skipped { #expect(await expect(contractCase)?.outcome == .skipped) }
        }
    }
}
