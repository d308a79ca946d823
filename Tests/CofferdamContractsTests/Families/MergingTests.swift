import CofferdamContracts
import Testing

@Suite struct MergingTests {
    private func rule(_ id: RuleID, finding: String?) -> Rule<Int> {
        Rule(id, "title of \(id)", level: .should, requires: ["power"], bound: .seconds(1)) { _, _ in
            finding.map { [Violation($0)] } ?? []
        }
    }

    @Test func `rules of one id become one, in the order of the first, with the findings of all`() async throws {
        let merged = [
            rule("A-2", finding: "one"), rule("A-1", finding: nil), rule("A-2", finding: nil),
            rule("A-2", finding: "three"),
        ].merged()
        #expect(merged.map(\.id) == ["A-2", "A-1"])
        let first = try #require(merged.first)
        #expect(first.title == "title of A-2" && first.level == .should && first.bound == .seconds(1))
        #expect(first.requires == ["power"])
        #expect(try await first.body(0, RuleContext(rule: "A-2")).map(\.detail) == ["one", "three"])
    }
}
