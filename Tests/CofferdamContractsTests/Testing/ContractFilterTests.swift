import CofferdamContracts
import CofferdamTesting
import Testing

@Suite struct ContractFilterTests {
    private let rules = [StoreContract.remembers, StoreContract.forgets]
    private let adapters: [AdapterUnderTest<Subject>] = [.dictionary, .constant]

    private func names(_ environment: [String: String]) -> [String] {
        contractCases(rules, adapters, filter: ContractFilter(environment: environment)).map(\.testDescription)
    }

    @Test func `the environment chooses rules and adapters`() {
        #expect(names([:]).count == 4)
        #expect(names(["COFFERDAM_RULES": "", "COFFERDAM_ADAPTERS": " , "]).count == 4)
        #expect(names(["COFFERDAM_RULES": "kv/KV-02"]) == ["kv/KV-02 on dictionary", "kv/KV-02 on constant"])
        #expect(names(["COFFERDAM_RULES": "kv/KV-01, kv/KV-02", "COFFERDAM_ADAPTERS": "constant"]).count == 2)
    }

    @Test(arguments: ["COFFERDAM_RULES", "COFFERDAM_ADAPTERS"])
    func `a name that matches nothing becomes a case that fails`(_ variable: String) async throws {
        let cases = contractCases(rules, adapters, filter: ContractFilter(environment: [variable: "kv/KV-77"]))
        try #require(cases.count == 1)
        await withKnownIssue {
            await expect(cases[0])
        } matching: { issue in
            "\(issue.comments)".contains("there is no ") && "\(issue.comments)".contains("kv/KV-77")
        }
    }

    @Test(arguments: [
        (contractCases([] as [Rule<Subject>], [.dictionary]), "has no rules"),
        (contractCases([StoreContract.remembers], []), "has no adapters"),
        (contractCases([StoreContract.expires], [.dictionary, .constant]), "kv/KV-03 on dictionary is skipped"),
        (contractCases(of: "kv/KV-03", in: [StoreContract.expires], [.dictionary]), "no rule applies"),
        (contractCases(of: "kv/KV-03", in: [], [.dictionary]), "has no rules"),
    ])
    func `a contract without cases is one case that fails`(_ cases: [ContractCase<Subject>], why: String) async throws {
        try #require(cases.count == 1)
        await withKnownIssue {
            await expect(cases[0])
        } matching: { issue in
            "\(issue.comments)".contains(why)
        }
    }

    @Test(
        arguments: contractCases(of: "kv/KV-01", in: [StoreContract.remembers, StoreContract.forgets], [.dictionary])
    )
    func `kv-KV-01 a test whose name contains the id has the cases of that rule`(_ one: ContractCase<Subject>) async {
        #expect(one.testDescription == "kv/KV-01 on dictionary")
        await expect(one)
    }

    @Test func `XCTest and others get each failure as a line`() async {
        var failures: [String] = []
        let report = await checkContract(rules, on: adapters) { failures.append($0) }
        #expect(report.rows.count == 4)
        #expect(failures.count == 2)
        #expect(failures.first?.hasPrefix("kv/KV-01 on constant failed: ") == true)
        failures = []
        await checkContract([StoreContract.expires], on: [.dictionary]) { failures.append($0) }
        #expect(failures == ["no rule was run"])
    }

    @Test func `a report that is not green is an issue for each reason`() async {
        let report = await ContractRunner(rules: [StoreContract.remembers], adapters: [.constant]).run()
        withKnownIssue { expectGreen(report) }
        expectGreen(await ContractRunner(rules: rules, adapters: [.dictionary]).run())
    }
}
