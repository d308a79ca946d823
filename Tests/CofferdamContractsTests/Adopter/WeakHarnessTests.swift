import CofferdamContracts
import Testing

// snippet: harnessCapabilities
extension StorageContract {
    /// A harness with this capability can make its vendor page oddly.
    static let judgedKeys = keys.requiring(harnessCapabilities: ["oddPaging"], in: ["LIST-03", "LIST-04", "LIST-05"])
}
// end

/// A family declares once what its rules need from the stand.
@Suite struct WeakHarnessTests {
    private let odd: [RuleID] = ["LIST-03", "LIST-04", "LIST-05"]

    /// The vault on a stand that cannot make it page oddly, and on one that can.
    private func vault(harnessCapabilities: Set<HarnessCapability>) -> AdapterUnderTest<StorageSubject> {
        AdapterUnderTest(name: "vault", capabilities: ["vendorCursors"], harnessCapabilities: harnessCapabilities) {
            var subject = try await AdapterUnderTest.vault.open()
            if harnessCapabilities.isEmpty { subject.setQuirk = { _ in } }
            return subject
        }
    }

    private func rows(
        _ family: some RuleFamily<StorageSubject>,
        on adapter: AdapterUnderTest<StorageSubject>
    ) async -> [ContractReport.Row] {
        await ContractRunner(rules: family.rules, adapters: [adapter]).run().rows
    }

    @Test func `the rules that need the harness capability are not judged on a stand without it, and the others are`()
        async
    {
        let rows = await rows(StorageContract.judgedKeys, on: vault(harnessCapabilities: []))
        let unjudged = rows.filter { $0.missingHarnessCapabilities == ["oddPaging"] }
        #expect(unjudged.map(\.rule) == odd)
        #expect(unjudged.allSatisfy { $0.detail == "the harness of vault lacks oddPaging" })
        #expect(!rows.contains { $0.outcome == .failed })
        #expect(rows.first { $0.rule == "LIST-01" }?.outcome == .passed)
    }

    @Test func `a stand that has the harness capability judges them, and finds what is wrong`() async {
        let good = await rows(StorageContract.judgedKeys, on: vault(harnessCapabilities: ["oddPaging"]))
        #expect(good.filter { odd.contains($0.rule) }.map(\.outcome) == [.passed, .passed, .passed])
        let careless = AdapterUnderTest(name: "careless", harnessCapabilities: ["oddPaging"]) {
            let adapter = FirstTry()
            return StorageSubject(
                storage: adapter,
                empty: { adapter.vault.wipe() },
                setQuirk: { if $0 == .repeatedCursor { adapter.vault.setOddity(.repeatedToken) } }
            )
        }
        let bad = await rows(StorageContract.judgedKeys, on: careless)
        #expect(bad.filter { $0.outcome == .failed }.map(\.rule) == ["LIST-05"])
    }

    @Test func `the mutants of rules that are not judged are skipped, and are not a problem`() async {
        let family = StorageContract.judgedKeys
        let without = await MutationRunner(rules: family.rules, adapter: vault(harnessCapabilities: [])).run(
            family.mutants
        )
        #expect(Set(without.rows.filter { $0.outcome == .skipped }.map(\.rule)).isSuperset(of: odd))
        #expect(without.problems == [])
        #expect(Set(without.obliged).isDisjoint(with: odd))
        // If no family declares it, that is a problem.
        let undeclared = await MutationRunner(
            rules: StorageContract.keys.rules,
            adapter: vault(harnessCapabilities: [])
        )
        .run(StorageContract.keys.mutants)
        #expect(undeclared.problems.contains("LIST-03 has no mutant that it kills"))
        let with = await MutationRunner(rules: family.rules, adapter: vault(harnessCapabilities: ["oddPaging"])).run(
            family.mutants
        )
        #expect(with.rows.filter { odd.contains($0.rule) }.map(\.outcome) == [.killed, .killed, .killed])
        #expect(with.problems == [])
    }

    @Test func `a harness capability can be required for one of several operations`() async {
        let time = LineContract.operation
        func needing(_ operations: Set<String>) -> Int {
            let family = time.requiring(harnessCapabilities: ["heldLines"], of: operations)
            return family.rules.count { $0.harnessCapabilities.contains("heldLines") }
        }
        #expect(needing(["line"]) == time.rules.count)
        #expect(needing(["another line"]) == 0)
    }

    @Test func `requirements accumulate, also for capabilities and for a project's own rules`() {
        let own = RuleSet(rules: [StorageRules.remembers, StorageRules.missing], mutants: [forgetsEmptyTexts])
        let family = own.requiring(["texts"]).requiring(harnessCapabilities: ["a"]).requiring(
            harnessCapabilities: ["b"],
            in: ["store/STORE-02"]
        )
        #expect(family.rules.map(\.requires) == [["texts"], ["texts"]])
        #expect(family.rules.map(\.harnessCapabilities) == [["a"], ["a", "b"]])
    }
}
