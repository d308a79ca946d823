import CofferdamContracts
import CofferdamTesting
import Foundation
import Testing

/// A rule that needs a missing harness capability neither passes nor fails, and is not proposed.
@Suite struct HarnessCapabilityTests {
    private func rule(_ id: RuleID, requires: Set<CapabilityTag> = [], harnessCapabilities: Set<HarnessCapability> = [])
        -> Rule<Int>
    {
        Rule(id, "a rule", requires: requires, harnessCapabilities: harnessCapabilities) { _, _ in [] }
    }

    private func adapter(
        _ name: String,
        _ capabilities: Set<CapabilityTag> = [],
        harnessCapabilities: Set<HarnessCapability> = []
    ) -> AdapterUnderTest<Int> {
        AdapterUnderTest(name: name, capabilities: capabilities, harnessCapabilities: harnessCapabilities) { 1 }
    }

    private func report(_ rules: [Rule<Int>], triesUndeclared: Bool = false) async -> ContractReport {
        let adapters = [
            adapter("v1", ["cache", "common"], harnessCapabilities: ["oddCallbacks"]), adapter("v2", ["common"]),
        ]
        var report = await ContractRunner(rules: rules, adapters: adapters, triesUndeclared: triesUndeclared).run()
        report.stamp = Made.stamp
        return report
    }

    private let odd = Rule<Int>("CANC-07", "survives", harnessCapabilities: ["oddCallbacks"]) { _, _ in [] }
    private let common = Rule<Int>("LIST-01", "lists", requires: ["common"]) { _, _ in [] }

    @Test
    func
        `a rule is not judged where the stand lacks a harness capability, with that reason, and judged where it has it`()
        async throws
    {
        let report = await report([odd, common])
        #expect(report.rows.map(\.outcome) == [.passed, .passed, .skipped, .passed])
        let row = try #require(report.row(of: "CANC-07", on: "v2"))
        #expect(row.missingHarnessCapabilities == ["oddCallbacks"])
        #expect(row.detail == "the harness of v2 lacks oddCallbacks")
        #expect(report.row(of: "CANC-07", on: "v1")?.missingHarnessCapabilities == nil)
    }

    @Test func `a rule that is not judged is never tried, and a capability is not proposed for it`() async {
        let needsBoth = rule("GET-08", requires: ["cache"], harnessCapabilities: ["oddCallbacks"])
        let report = await report([needsBoth, odd, common], triesUndeclared: true)
        let row = report.row(of: "GET-08", on: "v2")
        #expect(row?.worksUndeclared == nil)
        #expect(row?.missingHarnessCapabilities == nil, "it does not even apply")
        #expect(row?.detail == "v2 does not declare cache; the harness of v2 lacks oddCallbacks")
        let changes = UpgradeComparison(report, from: "v1", to: "v2").capabilities
        #expect(changes.lost == ["cache"])
        #expect(changes.proposed == [])
    }

    @Test func `a rule that is tried undeclared is tried with the capability, also as one of several operations`() async
    {
        let failing = Rule<Int>("GET-08", "cached", requires: ["cache"]) { _, context in
            context.capabilities.contains("cache") ? [Violation("it is not")] : []
        }
        let each = Rule.each([("notes", [failing]), ("tags", [failing])])
        for rules in [[failing], each] {
            let report = await report(rules + [common], triesUndeclared: true)
            #expect(report.rows(of: "GET-08", on: "v2").allSatisfy { $0.worksUndeclared == false })
            #expect(UpgradeComparison(report, from: "v1", to: "v2").capabilities.proposed == [])
        }
    }

    @Test func `each of several operations is judged by what it needs itself`() async {
        let each = Rule.each([
            ("notes", [rule("CANC-07", harnessCapabilities: ["oddCallbacks"])]),
            ("tags", [rule("CANC-07", requires: ["cache"])]),
        ])
        let report = await report(each + [common])
        #expect(report.rules.first?.harnessCapabilities == [])
        #expect(report.rules.first?.consultedHarnessCapabilities == ["oddCallbacks"])
        #expect(report.row(of: "CANC-07", "notes", on: "v1")?.outcome == .passed)
        #expect(report.row(of: "CANC-07", "notes", on: "v2")?.missingHarnessCapabilities == ["oddCallbacks"])
        #expect(report.row(of: "CANC-07", "tags", on: "v2")?.missingHarnessCapabilities == nil)
        #expect(report.standing(of: "CANC-07", on: "v2")?.mark == "? 1/2")
    }

    @Test func `a missing harness capability is not a lost capability, and can-upgrade reports it`() async {
        let report = await report([odd, common, rule("GET-08", requires: ["cache"])])
        let comparison = UpgradeComparison(report, from: "v1", to: "v2")
        #expect(comparison.capabilities.lost == ["cache"])
        #expect(comparison.rules(.notComparable).contains("CANC-07"))
        let verdict = UpgradeVerdict(report, from: "v1", to: "v2", today: Made.today)
        #expect(verdict.notes.contains("GET-08 is not comparable: v2 does not declare cache"))
        let unknown = "CANC-07 is kept by v1 and unknown on v2: the harness of v2 lacks oddCallbacks"
        #expect(verdict.reasons.contains(unknown))
        #expect(!verdict.reasons.contains { $0.hasPrefix("GET-08 is kept") })
    }

    @Test(arguments: [
        UnmetRequirements(harnessCapabilities: ["odd"]), UnmetRequirements(inapplicability: "it has no callbacks"),
    ])
    func `a body that runs on the old adapter only leaves the upgrade unknown`(_ unmet: UnmetRequirements) async {
        let half = Rule<Int>("CANC-07", "survives") { subject, _ in
            if subject == 2 { throw unmet }
            return []
        }
        let adapters = [1, 2].map { number in AdapterUnderTest(name: "v\(number)") { number } }
        var report = await ContractRunner(rules: [half, rule("LIST-01")], adapters: adapters).run()
        report.stamp = Made.stamp
        let verdict = UpgradeVerdict(report, from: "v1", to: "v2", today: Made.today)
        #expect(verdict.verdict == .unknown)
        #expect(verdict.reasons.contains { $0.hasPrefix("CANC-07 is kept by v1 and unknown on v2: ") })
    }

    @Test func `a violation on the only adapter that could be judged blocks the upgrade`() async {
        let broken = Rule<Int>("CANC-07", "survives", harnessCapabilities: ["odd"]) { _, _ in [Violation("it hangs")] }
        let adapters = [adapter("v1"), adapter("v2", harnessCapabilities: ["odd"])]
        var report = await ContractRunner(rules: [broken, rule("LIST-01")], adapters: adapters).run()
        report.stamp = Made.stamp
        let verdict = UpgradeVerdict(report, from: "v1", to: "v2", today: Made.today)
        #expect(verdict.verdict == .no)
        #expect(verdict.reasons.first == "CANC-07 was judged on v2 only, and fails there: it hangs")
    }

    @Test func `every report says what was not judged`() async throws {
        let report = await report([odd, common])
        let document = ContractDocument(name: "shop", report: report)
        #expect(
            document.markdown().contains("| ? not judged | CANC-07 | v2 | the harness of v2 lacks oddCallbacks")
        )
        #expect(
            document.junit().contains("<skipped message=\"not judged: the harness of v2 lacks oddCallbacks\"/>")
        )
        let page = document.html()
        #expect(page.contains("CANC-07 on v2: not judged</strong> the harness of v2 lacks"))
        #expect(page.contains("3 passed, 1 not judged"))
        let copy = try JSONDecoder().decode(ContractReport.self, from: JSONEncoder().encode(report))
        #expect(copy == report)
    }

    @Test func `a report from before harness capabilities existed is read`() throws {
        let json = """
            {"digest": "d", "rules": [{"id": "LIST-01", "title": "", "level": "M", "requires": [], "consults": []}],
             "adapters": [{"name": "v1", "identity": {"kind": "live"}, "capabilities": []}],
             "rows": [{"rule": "LIST-01", "level": "M", "adapter": "v1", "outcome": "passed", "seconds": 1}]}
            """
        let report = try JSONDecoder().decode(ContractReport.self, from: Data(json.utf8))
        #expect(report.rules.map(\.harnessCapabilities) == [[]])
        #expect(report.adapters.map(\.harnessCapabilities) == [[]])
    }

    @Test func `a harness capability that no rule knows is a mistake, and fails`() async {
        let report = await ContractRunner(
            rules: [common],
            adapters: [adapter("v1", ["common"], harnessCapabilities: ["od"])]
        ).run()
        #expect(report.problems == ["the harness of v1 has od, which no rule knows"])
    }

    @Test func `a mutant of a rule that cannot be judged is skipped, and its rule is not obliged`() async {
        let runner = MutationRunner(rules: [odd, common], adapter: adapter("v2", ["common"]))
        let report = await runner.run([Mutant<Int>("CANC-07", "traps") { subject, _ in subject }])
        #expect(report.rows.map(\.outcome) == [.skipped])
        #expect(report.obliged == ["LIST-01"])
    }

    @Test func `a rule that cannot be judged is not a case of a test run`() {
        #expect(contractCases([odd, common], [adapter("v2", ["common"])]).map(\.rule.id) == ["LIST-01"])
        #expect(skippedContractCases([odd, common], [adapter("v2", ["common"])]).map(\.rule.id) == ["CANC-07"])
    }
}
