import CofferdamContracts
import Testing
import TestSupport

/// Checks that bounds and deadlines fit each other.
@Suite struct BoundTests {
    private static func rule(_ asked: Log<Int>) -> Rule<Int> {
        Rule("kv/KV-01", "Asks", bound: .seconds(5)) { _, _ in
            asked.add(1)
            return []
        }
    }

    private static func adapter(_ deadline: Duration?) -> AdapterUnderTest<Int> {
        AdapterUnderTest(name: "hasty", deadline: deadline, open: { 1 })
    }

    @Test(arguments: [5, 2])
    func `a rule whose bound is not below the adapter's deadline is refused, and not run`(_ seconds: Int) async throws {
        let asked = Log<Int>()
        let report = await ContractRunner(rules: [Self.rule(asked)], adapters: [Self.adapter(.seconds(seconds))]).run()
        let row = try #require(report.rows.first)
        #expect(row.outcome == .failed && asked.entries.isEmpty)
        let detail = try #require(row.detail)
        #expect(
            detail.hasPrefix(
                "refused: the rule waits 5.0 seconds, and hasty gives up a call after \(seconds).0 seconds"
            )
        )
    }

    @Test func `a smaller bound is accepted, a longer deadline, and none`() async {
        let asked = Log<Int>()
        let rule = Self.rule(asked)
        let bounded = await ContractRunner(
            rules: [rule].bounded(by: .seconds(1)),
            adapters: [Self.adapter(.seconds(2))]
        ).run()
        #expect(bounded.isGreen)
        let adapters = [Self.adapter(.seconds(6)), Self.adapter(nil)]
        for adapter in adapters { #expect(await ContractRunner(rules: [rule], adapters: [adapter]).run().isGreen) }
        #expect(asked.entries.count == 3)
        #expect(rule.bounded(by: .seconds(9)).bound == .seconds(5))
    }

    @Test func `a mutant of a refused rule is not judged`() async {
        let mutant = Mutant<Int>("kv/KV-01", "does nothing") { subject, _ in subject }
        let runner = MutationRunner(rules: [Self.rule(Log())], adapter: Self.adapter(.seconds(1)))
        #expect(await runner.run(mutant).outcome == .notJudged)
    }
}
