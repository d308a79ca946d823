import CofferdamContracts
import Testing

// snippet: powers
extension StorageContract {
    /// A stand that has this power can make its vendor page oddly.
    static let judgedKeys = keys.requiring(powers: ["oddPaging"], in: ["LIST-03", "LIST-04", "LIST-05"])
}
// end

/// A family says once what its rules need of the stand.
@Suite struct StandPowerTests {
    private let odd: [RuleID] = ["LIST-03", "LIST-04", "LIST-05"]

    /// The vault on a stand that cannot make it page oddly, and on one that can.
    private func vault(powers: Set<ProbePower>) -> AdapterUnderTest<StorageSubject> {
        AdapterUnderTest(name: "vault", capabilities: ["vendorCursors"], powers: powers) {
            var subject = try await AdapterUnderTest.vault.open()
            if powers.isEmpty { subject.setQuirk = { _ in } }
            return subject
        }
    }

    private func rows(
        _ family: some RuleFamily<StorageSubject>,
        on adapter: AdapterUnderTest<StorageSubject>
    ) async -> [ContractReport.Row] {
        await ContractRunner(rules: family.rules, adapters: [adapter]).run().rows
    }

    @Test func `the rules that need the power are not judged on a stand without it, and the others are`() async {
        let rows = await rows(StorageContract.judgedKeys, on: vault(powers: []))
        let unjudged = rows.filter { $0.missingPowers == ["oddPaging"] }
        #expect(unjudged.map(\.rule) == odd)
        #expect(unjudged.allSatisfy { $0.detail == "the stand of vault lacks the power oddPaging" })
        #expect(!rows.contains { $0.outcome == .violated })
        #expect(rows.first { $0.rule == "LIST-01" }?.outcome == .passed)
    }

    @Test func `a stand that has the power judges them, and finds what is wrong`() async {
        let good = await rows(StorageContract.judgedKeys, on: vault(powers: ["oddPaging"]))
        #expect(good.filter { odd.contains($0.rule) }.map(\.outcome) == [.passed, .passed, .passed])
        let careless = AdapterUnderTest(name: "careless", powers: ["oddPaging"]) {
            let adapter = FirstTry()
            return StorageSubject(
                storage: adapter,
                empty: { adapter.vault.wipe() },
                setQuirk: { if $0 == .repeatedCursor { adapter.vault.setOddity(.repeatedToken) } }
            )
        }
        let bad = await rows(StorageContract.judgedKeys, on: careless)
        #expect(bad.filter { $0.outcome == .violated }.map(\.rule) == ["LIST-05"])
    }

    @Test func `the mutants of what is not judged are skipped, and are no problem`() async {
        let family = StorageContract.judgedKeys
        let without = await MutationRunner(rules: family.rules, adapter: vault(powers: [])).run(family.mutants)
        #expect(Set(without.rows.filter { $0.outcome == .skipped }.map(\.rule)).isSuperset(of: odd))
        #expect(without.problems == [])
        #expect(Set(without.obliged).isDisjoint(with: odd))
        // Said nowhere, it is a problem.
        let undeclared = await MutationRunner(rules: StorageContract.keys.rules, adapter: vault(powers: []))
            .run(StorageContract.keys.mutants)
        #expect(undeclared.problems.contains("LIST-03 has no mutant that it kills"))
        let with = await MutationRunner(rules: family.rules, adapter: vault(powers: ["oddPaging"])).run(family.mutants)
        #expect(with.rows.filter { odd.contains($0.rule) }.map(\.outcome) == [.killed, .killed, .killed])
        #expect(with.problems == [])
    }

    @Test func `a power can be that of one operation among several`() async {
        let time = LineContract.operation
        func needing(_ operations: Set<String>) -> Int {
            let family = time.requiring(powers: ["heldLines"], of: operations)
            return family.rules.count { $0.powers.contains("heldLines") }
        }
        #expect(needing(["line"]) == time.rules.count)
        #expect(needing(["another line"]) == 0)
    }

    @Test func `demands add up, for capabilities too, and for rules of one's own`() {
        let own = RuleSet(rules: [StorageRules.remembers, StorageRules.missing], mutants: [forgetsEmptyTexts])
        let family = own.requiring(["texts"]).requiring(powers: ["a"]).requiring(powers: ["b"], in: ["store/STORE-02"])
        #expect(family.rules.map(\.requires) == [["texts"], ["texts"]])
        #expect(family.rules.map(\.powers) == [["a"], ["a", "b"]])
    }
}
