import CofferdamContracts
import Testing

@Suite struct FamilyTests {
    @Test func `a port that has all that its description says keeps the rules of it`() async {
        let report = await ContractRunner(rules: ShelfContract.rules, adapters: [.shelf]).run()
        #expect(Set(report.rows.map(\.rule)) == ShelfContract.ids)
        #expect(report.rows.filter { $0.outcome != .passed }.map { "\($0.rule): \($0.detail ?? "")" } == [])
    }

    @Test(arguments: ShelfContract.mutants.indices)
    func `each mutant of it is killed by its own rule`(_ index: Int) async {
        let mutant = ShelfContract.mutants[index]
        let row = await MutationRunner(rules: ShelfContract.rules, adapter: .shelf).run(mutant)
        #expect(row.outcome == .killed, "\(mutant.rule) \(mutant.name): \(row.detail ?? "no detail")")
    }

    @Test func `each of those rules has a mutant`() {
        #expect(Set(ShelfContract.mutants.map(\.rule)) == ShelfContract.ids)
    }

    @Test func `what declares a power that its description does not have breaks the rule`() async {
        let rules = BinaryUpload<Shelf>.rules(of: nil)
        let report = await ContractRunner(rules: rules, adapters: [.shelf]).run()
        #expect(report.rows.map(\.outcome) == [.violated])
    }
}

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

    @Test func `an operation that throws does not hide what the next one finds`() async {
        let throwing = Rule<Int>("A-1", "a rule") { _, _ in throw Broken() }
        let merged = Rule.merged([("notes", [throwing]), ("tags", [rule("A-1", [], ["long"])])])
        #expect(await outcomes(merged) == ["A-1 violated notes: Broken(); tags: long"])
    }
}
