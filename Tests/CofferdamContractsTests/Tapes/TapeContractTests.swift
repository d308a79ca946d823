import CofferdamContracts
import Testing

@Suite struct TapeContractTests {
    private static let rules = [StoreContract.remembers, StoreContract.forgets]

    private func record(_ rule: Rule<Subject>) async throws -> Tape {
        try await tape { store in
            let adapter = AdapterUnderTest<Subject>(name: "recorded") { store }
            let report = await ContractRunner(rules: [rule], adapters: [adapter]).run()
            #expect(report.isGreen)
        }
    }

    @Test(arguments: rules.indices)
    func `a tape works as an adapter that passes the rule that it recorded`(_ index: Int) async throws {
        let rule = Self.rules[index]
        let player = try TapePlayer(try await record(rule))
        let adapter = AdapterUnderTest<Subject>(name: "tape") { player.store }
        let report = await ContractRunner(rules: [rule], adapters: [adapter]).run()
        #expect(report.isGreen)
        try player.finish()
    }

    @Test func `a rule that was not recorded fails, by the missing call's name`() async throws {
        let player = try TapePlayer(try await record(StoreContract.remembers))
        let adapter = AdapterUnderTest<Subject>(name: "tape") { player.store }
        let report = await ContractRunner(rules: [StoreContract.forgets], adapters: [adapter]).run()
        #expect(report.rows.map(\.outcome) == [.failed])
        #expect(report.rows[0].detail?.contains(#"arguments.key: recorded "a", called with "nothing""#) == true)
    }
}
