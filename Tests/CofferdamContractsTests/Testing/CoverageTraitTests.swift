import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Testing

/// Checks the issues that the trait records when its suite or test ends.
@Suite(.coversContract([StoreContract.remembers, StoreContract.forgets], on: [.dictionary]))
struct CoverageTraitTests {
    private static let rules = [StoreContract.remembers, StoreContract.forgets, StoreContract.expires]

    // The suite's own trait checks that these two tests together execute all cases.
    @Test(arguments: contractCases([StoreContract.remembers], [.dictionary]))
    func `kv-KV-01 in a test of its own`(_ contractCase: ContractCase<Subject>) async { await expect(contractCase) }

    @Test(
        .coversContract([StoreContract.forgets], on: [.dictionary]),
        arguments: contractCases([StoreContract.forgets], [.dictionary])
    )
    func `kv-KV-02 in a test of its own`(_ contractCase: ContractCase<Subject>) async { await expect(contractCase) }

    /// Returns the issues that the trait records around `body`.
    private func issues(
        _ filter: ContractFilter = ContractFilter(),
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> [String] {
        let test = try #require(Test.current)
        let found = Mutex<[String]>([])
        let trait = CoverageTrait.coversContract(Self.rules, on: [.dictionary], filter: filter)
        let issues = IssueHandlingTrait.compactMapIssues { issue in
            found.withLock { $0 += issue.comments.map(\.rawValue) }
            return nil
        }
        try await issues.provideScope(for: test, testCase: nil) {
            try await trait.provideScope(for: test, testCase: nil, performing: body)
        }
        return found.withLock { $0 }
    }

    private func cases(_ rules: [Rule<Subject>]) -> [ContractCase<Subject>] {
        contractCases(rules, [.dictionary], filter: ContractFilter())
    }

    @Test func `every declared case must be executed, and a skipped one does not count`() async throws {
        let all = cases(Self.rules)
        #expect(try await issues { for one in all { await expect(one) } } == [])
        let some = Array(all.prefix(1))
        #expect(
            try await issues { for one in some { await expect(one) } } == [
                "kv/KV-02 on dictionary was declared and not executed"
            ]
        )
    }

    @Test func `a run without cases fails`() async throws {
        #expect(try await issues {} == ["no case of the contract was executed"])
    }

    @Test func `the environment's filter says what is declared`() async throws {
        let one = cases([StoreContract.remembers])
        #expect(try await issues(ContractFilter(rules: ["kv/KV-01"])) { await expect(one[0]) } == [])
        #expect(
            try await issues(ContractFilter(rules: ["kv/KV-02"])) { await expect(one[0]) } == [
                "kv/KV-02 on dictionary was declared and not executed",
                "kv/KV-01 on dictionary was executed and not declared",
            ]
        )
    }

    @Test func `it applies to a suite or a test, not to each case`() throws {
        let trait = CoverageTrait.coversContract(Self.rules, on: [.dictionary])
        let test = try #require(Test.current)
        #expect(trait.scopeProvider(for: test, testCase: nil) != nil)
        #expect(trait.scopeProvider(for: test, testCase: Test.Case.current) == nil)
    }
}
