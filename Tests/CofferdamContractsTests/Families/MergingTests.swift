import CofferdamContracts
import Testing

@Suite struct MergingTests {
    private func rule(_ id: RuleID, _ requires: Set<CapabilityTag> = [], _ findings: [String]) -> Rule<Int> {
        Rule(id, "a rule", requires: requires) { _, _ in findings.map { Violation($0) } }
    }

    private func outcomes(_ rules: [Rule<Int>], _ capabilities: Set<CapabilityTag> = []) async -> [String] {
        let adapter = AdapterUnderTest(name: "one", capabilities: capabilities) { 1 }
        let report = await ContractRunner(rules: rules, adapters: [adapter]).run()
        return report.rows.map { "\($0.rule) \($0.outcome.rawValue) \($0.detail ?? "")" }
    }

    @Test func `rules of one id are one, and what they find bears the operation's name`() async {
        let merged = Rule.merged([
            ("notes", [rule("B-2", [], ["short"]), rule("A-1", [], [])]), ("tags", [rule("B-2", [], ["long"])]),
        ])
        #expect(await outcomes(merged) == ["A-1 passed ", "B-2 violated notes: short; tags: long"])
    }

    @Test func `what only one operation needs does not skip the others`() async {
        let merged = Rule.merged([("notes", [rule("A-1", ["versions"], ["no"])]), ("tags", [rule("A-1", [], [])])])
        #expect(await outcomes(merged) == ["A-1 passed "])
        #expect(await outcomes(merged, ["versions"]) == ["A-1 violated notes: no"])
    }

    @Test func `what all operations need is needed`() async {
        let merged = Rule.merged([("notes", [rule("A-1", ["x", "y"], [])]), ("tags", [rule("A-1", ["x"], [])])])
        #expect(merged.map(\.requires) == [["x"]])
    }

    @Test func `what one operation needs, and what it asks for, is told`() {
        let merged = Rule.merged([
            ("notes", [rule("A-1", ["versions"], []).consulting(["dates"])]), ("tags", [rule("A-1", [], [])]),
        ])
        #expect(merged.map(\.consults) == [["versions", "dates"]])
    }

    @Test func `an operation that throws does not hide what the next one finds`() async {
        let throwing = Rule<Int>("A-1", "a rule") { _, _ in throw Broken() }
        let merged = Rule.merged([("notes", [throwing]), ("tags", [rule("A-1", [], ["long"])])])
        #expect(await outcomes(merged) == ["A-1 violated notes: Broken(); tags: long"])
    }
}
