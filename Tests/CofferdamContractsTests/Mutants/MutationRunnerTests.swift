import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Testing

@Suite struct MutationRunnerTests {
    private static let rules = [StoreContract.remembers, StoreContract.forgets]

    private func outcome(
        _ mutant: Mutant<Subject>,
        rules: [Rule<Subject>] = Self.rules,
        on adapter: AdapterUnderTest<Subject> = .dictionary
    ) async -> MutationOutcome {
        await MutationRunner(rules: rules, adapter: adapter).run(mutant).outcome
    }

    private func mutant(_ rule: RuleID, _ change: @escaping @Sendable (String?) -> String?) -> Mutant<Subject> {
        Mutant(rule, "changes values") { clean, effect in
            ChangedStore(clean: clean) { value in
                effect.occurred()
                return change(value)
            }
        }
    }

    @Test func `a mutant that its own rule finds is killed (KIT-02)`() async {
        #expect(await outcome(mutant("kv/KV-01") { _ in nil }) == .killed)
    }

    @Test func `a mutant that only another rule finds is distinguished`() async {
        #expect(await outcome(mutant("kv/KV-01") { $0 ?? "made up" }) == .killedByOther)
    }

    @Test func `one that no rule finds has survived`() async {
        #expect(await outcome(mutant("kv/KV-01") { $0 }) == .survived)
    }

    @Test func `one that never deviates has no effect (KIT-03)`() async {
        #expect(await outcome(Mutant("kv/KV-01", "does nothing") { clean, _ in clean }) == .noEffect)
    }

    @Test func `one whose rule the clean adapter breaks is not judged (KIT-03)`() async {
        #expect(await outcome(mutant("kv/KV-01") { _ in nil }, on: .constant) == .notJudged)
    }

    @Test func `one of a rule that does not exist is not judged`() async {
        #expect(await outcome(mutant("kv/KV-99") { _ in nil }) == .notJudged)
    }

    @Test func `one of a rule that does not apply is skipped`() async {
        #expect(await outcome(mutant("kv/KV-03") { _ in nil }, rules: [StoreContract.expires]) == .skipped)
    }

    @Test func `a rule of level M without a killed mutant fails the run (KIT-02)`() async {
        let runner = MutationRunner(rules: Self.rules + [StoreContract.expires], adapter: .dictionary)
        let good = mutant("kv/KV-01") { _ in nil }
        let half = await runner.run([good])
        #expect(half.problems == ["kv/KV-02 has no mutant that it kills"])
        #expect(!half.isGreen)
        let survivor = mutant("kv/KV-02") { $0 }
        let bad = await runner.run([good, survivor])
        #expect(bad.problems == ["kv/KV-02, changes values: survived", "kv/KV-02 has no mutant that it kills"])
        var reported: [RuleID] = []
        let whole = await runner.run([good, mutant("kv/KV-02") { $0 ?? "made up" }]) { reported.append($0.rule) }
        #expect(whole.isGreen)
        #expect(reported == ["kv/KV-01", "kv/KV-02"])
    }

    @Test func `as many as requested run at once, and are listed in order`() async {
        let gate = TestGate()
        let opened = Mutex(0)
        let adapter = AdapterUnderTest<Subject>(name: "gated") {
            // The third begins only if more than two run at once.
            let count = opened.withLock { count in
                count += 1
                return count
            }
            if count == 3 { gate.open() }
            await gate.pass()
            return DictionaryStore()
        }
        let mutants = (0..<3).map { Mutant<Subject>("kv/KV-01", "mutant \($0)") { clean, _ in clean } }
        var reported: [String] = []
        let report = await MutationRunner(rules: Self.rules, adapter: adapter).run(mutants, atOnce: 3) {
            reported.append($0.mutant)
        }
        #expect(report.rows.map(\.mutant) == ["mutant 0", "mutant 1", "mutant 2"])
        #expect(report.rows.map(\.outcome) == [.noEffect, .noEffect, .noEffect], "none has waited in vain")
        #expect(reported.count == 3)
    }
}
