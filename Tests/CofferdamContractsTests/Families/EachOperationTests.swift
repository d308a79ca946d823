import CofferdamContracts
import Foundation
import Testing

@Suite struct EachOperationTests {
    private func rule(_ id: RuleID, _ requires: Set<CapabilityTag> = [], _ findings: [String] = []) -> Rule<Int> {
        Rule(id, "a rule", requires: requires) { _, _ in findings.map { Violation($0) } }
    }

    private func report(_ rules: [Rule<Int>], _ capabilities: Set<CapabilityTag> = []) async -> ContractReport {
        let adapter = AdapterUnderTest(name: "one", capabilities: capabilities) { 1 }
        return await ContractRunner(rules: rules, adapters: [adapter]).run()
    }

    private func outcomes(_ rules: [Rule<Int>], _ capabilities: Set<CapabilityTag> = []) async -> [String] {
        await report(rules, capabilities).rows.map { "\($0.id) \($0.outcome.rawValue)" }
    }

    @Test func `each operation is a row of its own, in the order of the rules`() async {
        let rules = Rule.each([("notes", [rule("B-2", [], ["short"]), rule("A-1")]), ("tags", [rule("B-2")])])
        #expect(
            await outcomes(rules) == [
                "A-1 of notes on one passed", "B-2 of notes on one failed", "B-2 of tags on one passed",
            ]
        )
    }

    @Test func `what only one operation needs skips only that operation`() async {
        let rules = Rule.each([("notes", [rule("A-1", ["versions"], ["no"])]), ("tags", [rule("A-1")])])
        #expect(await outcomes(rules) == ["A-1 of notes on one skipped", "A-1 of tags on one passed"])
        #expect(await outcomes(rules, ["versions"]) == ["A-1 of notes on one failed", "A-1 of tags on one passed"])
    }

    @Test func `a rule is described once, with what all its operations require and what any consults`() async throws {
        let rules = Rule.each([
            ("notes", [rule("A-1", ["x", "y"]).consulting(["dates"])]), ("tags", [rule("A-1", ["x"])]),
        ])
        let description = try #require(await report(rules).rules.first)
        #expect(await report(rules).rules.count == 1)
        #expect(description.operations == ["notes", "tags"])
        #expect(description.requires == ["x"])
        #expect(description.consults == ["dates", "y"])
    }

    @Test func `an operation that throws does not hide what the next one finds`() async {
        let throwing = Rule<Int>("A-1", "a rule") { _, _ in throw Broken() }
        let rules = Rule.each([("notes", [throwing]), ("tags", [rule("A-1", [], ["long"])])])
        #expect(await report(rules).rows.map(\.detail) == ["threw Broken()", "long"])
    }

    @Test func `two rules with one id and operation are reported, and an operation changes the contract`() {
        let notes = Rule.each([("notes", [rule("kv/KV-01")])])
        let both = Rule.each([("notes", [rule("kv/KV-01")]), ("tags", [rule("kv/KV-01")])])
        #expect(namingProblems(of: notes + notes) == ["two rules are called kv/KV-01 of notes"])
        #expect(namingProblems(of: both) == [])
        #expect(contractText(of: notes) != contractText(of: both))
    }

    @Test func `a rule shows the worst result of its operations, and how many have it`() async {
        let rules = Rule.each([
            ("notes", [rule("A-1", [], ["no"])]), ("tags", [rule("A-1")]), ("marks", [rule("A-1", ["cache"])]),
        ])
        #expect(await report(rules).standing(of: "A-1", on: "one")?.mark == "✗ 1/3")
        let kept = Rule.each([("tags", [rule("A-1")]), ("marks", [rule("A-1", ["cache"])])])
        #expect(await report(kept).standing(of: "A-1", on: "one")?.mark == "✓")
    }

    @Test func `operations that are skipped for the same reason are explained together`() async {
        let rules = Rule.each([
            ("notes", [rule("A-1", ["cache"])]), ("tags", [rule("A-1", [], ["no"])]),
            ("marks", [rule("A-1", ["cache"])]),
        ])
        #expect(await report(rules).explanations.map(\.name) == ["A-1 of tags", "A-1 of notes, marks"])
    }

    @Test func `a known deviation may cover a single operation`() async {
        var report = await report(
            Rule.each([("notes", [rule("A-1", [], ["no"])]), ("tags", [rule("A-1", [], ["no"])])])
        )
        report.stamp = RunStamp(fixtures: "f", os: "o", toolchain: "t", date: "2026-11-24")
        report.deviations = [
            KnownDeviation(
                .rule("A-1", of: "notes", on: "one"),
                reason: "r",
                link: "https://example.org/1",
                expires: "2026-12-01"
            )
        ]
        #expect(report.failures.map(\.operation) == ["tags"])
        report.deviations[0].subject = .rule("A-1", on: "one")
        #expect(report.failures.isEmpty)
    }

    @Test func `a known deviation may be a crash, and may be intermittent`() async throws {
        var report = await report([rule("A-1", [], ["no"]), rule("A-2")])
        report.stamp = RunStamp(fixtures: "f", os: "o", toolchain: "t", date: "2026-11-24")
        report.rows[0].outcome = .crashed
        func known(_ rule: RuleID, _ outcome: ContractReport.Outcome, _ isIntermittent: Bool = false) -> KnownDeviation
        {
            KnownDeviation(
                .rule(rule, on: "one"),
                reason: "r",
                link: "https://example.org/1",
                expires: "2026-12-01",
                outcome: outcome,
                isIntermittent: isIntermittent
            )
        }
        report.deviations = [known("A-1", .failed)]
        #expect(report.failures.count == 1)
        report.deviations = [known("A-1", .crashed)]
        #expect(report.failures.isEmpty)
        report.deviations = [known("A-2", .failed)]
        #expect(report.problems.contains { $0.contains("A-2 on one is known to deviate, and passed") })
        report.deviations = [known("A-2", .failed, true)]
        #expect(!report.problems.contains { $0.contains("is known to deviate") })
        let written = try JSONEncoder().encode(report.deviations)
        #expect(try JSONDecoder().decode([KnownDeviation].self, from: written) == report.deviations)
    }

    @Test func `a mutant whose rule does not apply is skipped, and is not a problem`() async {
        let adapter = AdapterUnderTest(name: "one", capabilities: []) { 1 }
        let strict = Rule<Int>("A-2", "is one") { subject, _ in subject == 1 ? [] : [Violation("\(subject)")] }
        let runner = MutationRunner(rules: [rule("A-1", ["cache"]), strict], adapter: adapter)
        func two(_ rule: RuleID) -> Mutant<Int> {
            Mutant(rule, "is two") { _, effect in
                effect.occurred()
                return 2
            }
        }
        let report = await runner.run([two("A-1"), two("A-2")])
        #expect(report.rows.map(\.outcome) == [.skipped, .killed])
        #expect(report.isGreen)
        #expect(await runner.run([two("A-1")]).problems == ["no mutant was run"])
    }

    @Test func `a mutant of an operation is judged by that operation's rule`() async {
        let strict = Rule<Int>("A-1", "is one") { subject, _ in subject == 1 ? [] : [Violation("\(subject)")] }
        let rules = Rule.each([("notes", [rule("A-1")]), ("tags", [strict])])
        let two = Mutant<Int>("A-1", "is two") { _, effect in
            effect.occurred()
            return 2
        }
        let adapter = AdapterUnderTest(name: "one", capabilities: []) { 1 }
        let runner = MutationRunner(rules: rules, adapter: adapter)
        #expect(await runner.run(two.of("tags")).outcome == .killed)
        let other = await runner.run(two.of("notes"))
        #expect(other.outcome == .killedByOther)
        #expect(other.detail == "A-1 of tags: 2")
        #expect(await runner.run(two.of("marks")).outcome == .notJudged)
    }
}
