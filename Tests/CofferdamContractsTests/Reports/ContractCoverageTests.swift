import Cofferdam
import CofferdamContracts
import Testing

@Suite struct ContractCoverageTests {
    private let look = PortOperation<Int, String, String>("look", .read) { _, text in text }
    private let put = PortOperation<Int, String, Void>("put", .write) { _, _ in }
    private let news = StreamingOperation<Int, Void, String>("news") { _, _ in
        AsyncThrowingStream<String, any Error> { $0.finish() }
    }

    private func rule(_ id: RuleID, _ operation: String) -> Rule<Int> { Rule(id, "t") { _, _ in [] }.of(operation) }

    private var rules: [Rule<Int>] {
        [
            rule("GET-01", "look"), rule("GET-02", "look"), rule("STRM-01", "news"), rule("VALUE-01", "look.text"),
            rule("VALUE-01", "look.size"), rule("VALUE-01", "news.text"),
            rule("TIME-01", "put").inapplicable(because: "it asks no vendor"), rule("KIT-01", "look"),
            rule("shop/GET-01", "put"),
        ]
    }

    @Test func `each cell has its rules, a reason that follows from the table of operations, or one that is given`() {
        let coverage = ContractCoverage(
            operations: [.init(look), .init(put), .init(news)],
            gaps: [CoverageGap("look", in: ["TIME"], because: "it is quick")]
        )
        let table = CoverageTable(coverage, of: rules)
        #expect(table.families == ["GET", "STRM", "VALUE", "TIME"])
        #expect(
            table.rows.map { row in row.cells.map { $0.reason ?? "\($0.rules)" } } == [
                ["2", "it is no stream", "1", "it is quick"],
                ["it changes something", "it is no stream", "it returns nothing", "it asks no vendor"],
                ["it is a stream", "1", "1", "it is a stream"],
            ]
        )
        #expect(table.problems == [])
    }

    @Test func `a gap without a reason, and a reason without a gap, are problems`() {
        let coverage = ContractCoverage(
            operations: [.init(look)],
            gaps: [
                CoverageGap("look", in: ["GET", "BIN"], because: "no time"),
                CoverageGap("gone", in: ["STRM"], because: "no time"),
            ]
        )
        #expect(
            CoverageTable(coverage, of: rules).problems == [
                "look has rules of GET, and a reason for none", "look has no rule of TIME, and no reason for it",
                "a reason names the unknown family BIN", "a reason names the unknown operation gone",
            ]
        )
    }

    @Test func `without a description, the rules name the operations, and nothing is a problem`() {
        let table = CoverageTable(nil, of: rules)
        #expect(table.rows.map(\.operation) == ["look", "news", "put"])
        #expect(table.rows.map { $0.cells.map(\.rules) } == [[2, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]])
        #expect(table.problems == [])
    }
}
