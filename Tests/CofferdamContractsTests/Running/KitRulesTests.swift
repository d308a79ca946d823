import CofferdamContracts
import Testing

/// Runs the kit's own rules, KIT-01 to KIT-10, on the kit.
@Suite struct KitRulesTests {
    private func run(
        _ rules: [Rule<Subject>],
        _ adapters: [AdapterUnderTest<Subject>] = [.dictionary],
        deviations: [KnownDeviation] = [],
        date: CalendarDay = Made.today
    ) async -> ContractReport {
        var report = await ContractRunner(rules: rules, adapters: adapters, deviations: deviations).run()
        report.digest = "d16e57"
        report.stamp = Made.stamp
        report.stamp?.date = date
        return report
    }

    @Test func `KIT-01: the executed pairs are the declared ones, and at least one`() async {
        let rules = [StoreContract.remembers, StoreContract.forgets]
        var report = await run(rules)
        #expect(report.isGreen)
        report.rows.removeLast()
        #expect(report.problems == ["kv/KV-02 on dictionary was declared and is not in the report"])
        #expect(await run([]).problems == ["no rule was run"])
    }

    @Test func `KIT-02: a rule of level M without a killed mutant fails, and only its own violation kills`() async {
        let runner = MutationRunner(rules: [StoreContract.remembers, StoreContract.forgets], adapter: .dictionary)
        let foreign = Mutant<Subject>("kv/KV-01", "makes values up") { clean, effect in
            ChangedStore(clean: clean) { value in
                effect.occurred()
                return value ?? "made up"
            }
        }
        let report = await runner.run([foreign])
        #expect(report.rows.map(\.outcome) == [.killedByOther])
        #expect(
            report.problems == [
                "kv/KV-01, makes values up: killedByOther", "kv/KV-01 has no mutant that it kills",
                "kv/KV-02 has no mutant that it kills",
            ]
        )
        for outcome in MutationOutcome.allCases where outcome != .killed {
            let row = MutationRow(rule: "kv/KV-01", mutant: "m", outcome: outcome)
            #expect(!MutationReport(rows: [row], obliged: ["kv/KV-01"]).isGreen, "\(outcome)")
        }
    }

    @Test func `KIT-03: a mutant has to deviate, and the clean adapter has to pass first`() async {
        let rules = [StoreContract.remembers]
        let idle = Mutant<Subject>("kv/KV-01", "does nothing") { clean, _ in clean }
        #expect(await MutationRunner(rules: rules, adapter: .dictionary).run(idle).outcome == .noEffect)
        #expect(await MutationRunner(rules: rules, adapter: .constant).run(idle).outcome == .notJudged)
    }

    @Test func `KIT-04: an undeclared capability is skipped with its reason, and never passed`() async throws {
        let report = await run([StoreContract.remembers, StoreContract.expires])
        let row = try #require(report.row(of: "kv/KV-03", on: "dictionary"))
        #expect(row.outcome == .skipped)
        #expect(row.detail == "dictionary does not declare expiry")
    }

    @Test func `KIT-05: a declared capability that no rule knows, or that no executed rule requires, fails`() async {
        let unknown = AdapterUnderTest<Subject>(name: "expiring", capabilities: ["expiry", "exipry"]) {
            DictionaryStore()
        }
        let report = await run([StoreContract.remembers, StoreContract.expires], [unknown])
        #expect(report.problems == ["expiring declares exipry, which no rule knows"])

        let both = Rule<Subject>("kv/KV-08", "Expires in parts", requires: ["expiry", "parts"]) { _, _ in [] }
        let half = AdapterUnderTest<Subject>(name: "expiring", capabilities: ["expiry"]) { DictionaryStore() }
        let unexecuted = await run([StoreContract.remembers, both], [half])
        #expect(unexecuted.problems == ["expiring declares expiry, and no rule that asks for it was executed"])
        #expect(!unexecuted.isGreen)
    }

    @Test func `KIT-05: a run of a part of the contract does not judge what it did not run`() async {
        let expiring = AdapterUnderTest<Subject>(name: "expiring", capabilities: ["expiry"]) { DictionaryStore() }
        let runner = ContractRunner(rules: [StoreContract.remembers, StoreContract.expires], adapters: [expiring])
        let part = await runner.run([.init(rule: "kv/KV-01", adapter: "expiring")])
        #expect(part.rows.count == 1)
        #expect(part.isGreen)
        #expect(!part.isWhole)
        #expect(await runner.run().isWhole)
    }

    @Test func `KIT-06: a known deviation is excused until its day, and the rule still runs`() async throws {
        let known = KnownDeviation(
            .rule("kv/KV-01", on: "constant"),
            reason: "always",
            link: Made.link,
            expires: "2026-12-01"
        )
        let rules = [StoreContract.remembers]
        let excused = await run(rules, [.constant], deviations: [known])
        #expect(excused.row(of: "kv/KV-01", on: "constant")?.outcome == .failed)
        #expect(excused.isGreen)
        #expect(excused.failures.isEmpty)
        #expect(await run(rules, [.constant], deviations: [known], date: "2026-12-01").isGreen)

        let expired = await run(rules, [.constant], deviations: [known], date: "2026-12-02")
        #expect(expired.problems == ["kv/KV-01 on constant was known until 2026-12-01: \(Made.link)"])
        #expect(expired.failures.count == 1)
    }

    @Test func `KIT-06: an unexpected pass fails, and so do a missing link, a missing case and a missing date`() async {
        func known(_ rule: RuleID, link: String = Made.link) -> KnownDeviation {
            KnownDeviation(.rule(rule, on: "dictionary"), reason: "r", link: link, expires: "2026-12-01")
        }
        let rules = [StoreContract.remembers, StoreContract.expires]
        #expect(
            await run(rules, deviations: [known("kv/KV-01"), known("kv/KV-03"), known("kv/KV-77", link: " ")]).problems
                == [
                    "kv/KV-01 on dictionary is known to deviate, and passed: \(Made.link)",
                    "kv/KV-03 on dictionary is known to deviate, and was skipped: \(Made.link)",
                    "kv/KV-77 on dictionary: a known deviation needs a link",
                    "kv/KV-77 on dictionary is known, and there is no such case",
                ]
        )
        let undated = await ContractRunner(rules: rules, adapters: [.dictionary], deviations: [known("kv/KV-01")]).run()
        #expect(undated.problems == ["known deviations cannot be judged without the date of the run"])
    }

    @Test func `KIT-06: a capability may be known to be unchecked, until a rule checks it`() async {
        let expiring = AdapterUnderTest<Subject>(name: "expiring", capabilities: ["expiry"]) { DictionaryStore() }
        let known = KnownDeviation(
            .uncheckedCapability("expiry"),
            reason: "r",
            link: Made.link,
            expires: "2026-12-01"
        )
        #expect(await run([StoreContract.remembers], [expiring], deviations: [known]).isGreen)
        #expect(
            await run([StoreContract.remembers, StoreContract.expires], [expiring], deviations: [known]).problems == [
                "the unchecked capability expiry is known, and there is a rule now: \(Made.link)"
            ]
        )
    }

    @Test func `KIT-07: a project's own rule has a namespace, and shadows no rule of the catalogue`() async {
        func rule(_ id: RuleID, _ level: RuleLevel = .must) -> Rule<Subject> {
            Rule(id, "t", level: level) { _, _ in [] }
        }
        let cases: [(rules: [Rule<Subject>], problems: [String])] = [
            ([rule("LIST-01"), rule("shop/LIST-01"), rule("LIST-09", .should)], []),
            ([rule("LIST-01"), rule("LIST-01")], ["two rules are called LIST-01"]),
            (
                [rule("LIST-99")],
                ["LIST-99 is not in the catalogue: a project's own rule has a namespace, as in shop/LIST-99"]
            ),
            ([rule("LIST-01", .should)], ["LIST-01 is of level M in the catalogue, and of level S here"]),
            (
                [rule("list 1")],
                ["'list 1' is not a rule's id: it needs the form LIST-01, or shop/LIST-01 for a project's own rule"]
            ),
        ]
        for (rules, problems) in cases {
            #expect(namingProblems(of: rules) == problems)
            #expect(await run(rules).findings == problems)
        }
        let own = Mutant<Subject>("shop/LIST-01", "m") { clean, _ in clean }
        let runner = MutationRunner(rules: [rule("LIST-01")], adapter: .dictionary)
        #expect(await runner.run(own).outcome == .notJudged, "an own rule is not the catalogue's")
    }

    @Test func `KIT-08: a report states contract, fixtures, versions, system, toolchain and date, and what it lacks`()
        async
    {
        let known = AdapterUnderTest.dictionary.identified(as: AdapterIdentity(.live, version: "1.0", sdk: "Swift 6.3"))
        let whole = await run([StoreContract.remembers], [known])
        #expect(whole.gaps.isEmpty)
        #expect(whole.adapters.first?.identity == known.identity)

        let bare = await ContractRunner(rules: [StoreContract.remembers], adapters: [.dictionary]).run()
        #expect(
            bare.gaps == [
                "the report does not state the contract's digest", "the report does not state the fixtures' digest",
                "the report does not state the operating system", "the report does not state the toolchain",
                "the report does not state the date of the run",
                "the report does not state the version of the adapter dictionary",
                "the report does not state the SDK's version behind dictionary",
            ]
        )
    }

    @Test func `KIT-09: every case has a fresh adapter`() async {
        let shared = DictionaryStore()
        let stale = AdapterUnderTest<Subject>(name: "stale") { shared }
        let report = await run([StoreContract.forgets, StoreContract.remembers], [stale])
        #expect(report.rows.map(\.outcome) == [.passed, .failed])
        #expect(report.rows.last?.detail == "stale opened the same instance for two cases")
    }

    @Test func `KIT-09: no case begins before its baseline has been acknowledged`() async {
        let unruly = AdapterUnderTest<Subject>(
            name: "unruly",
            open: { DictionaryStore() },
            reset: { _ in throw Broken() }
        )
        let row = await run([StoreContract.remembers], [unruly]).rows.first
        #expect(row?.outcome == .failed)
        #expect(row?.detail == "unruly did not reach its baseline: Broken()")

        let seeded = AdapterUnderTest<Subject>(
            name: "seeded",
            open: { DictionaryStore() },
            reset: { try await $0.set("seed", for: "nothing") }
        )
        #expect(await run([StoreContract.forgets], [seeded]).rows.first?.outcome == .failed)
    }

    @Test func `KIT-10: the fake declares nothing that no live adapter declares`() async {
        let rules = [StoreContract.remembers, StoreContract.expires]
        let fake = AdapterUnderTest<Subject>(
            name: "fake",
            capabilities: ["expiry"],
            identity: AdapterIdentity(.fake)
        ) { DictionaryStore() }
        #expect(
            await run(rules, [.dictionary.identified(as: AdapterIdentity()), fake]).problems == [
                "fake is a fake and declares expiry, which no live adapter does"
            ]
        )
        let live = AdapterUnderTest<Subject>(name: "live", capabilities: ["expiry"]) { DictionaryStore() }
        #expect(await run(rules, [live, fake]).isGreen)
    }
}
