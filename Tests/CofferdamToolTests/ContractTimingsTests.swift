import Cofferdam
import CofferdamSupport
import CofferdamContracts
import Foundation
import Testing

@testable import CofferdamTool

struct ContractTimingsTests {
    private static func row(
        _ rule: RuleID,
        _ operation: String?,
        _ adapter: String,
        _ seconds: Double,
        _ outcome: ContractReport.Outcome = .passed
    ) -> ContractReport.Row {
        ContractReport.Row(
            rule: rule,
            operation: operation,
            level: .must,
            adapter: adapter,
            outcome: outcome,
            seconds: seconds
        )
    }

    private static let report = Fixture.report([
        row("AUTH-01", nil, "v1", 0, .skipped), row("AUTH-01", nil, "v2", 1.25),
        row("LIST-01", "animals", "v1", 0.5), row("LIST-01", "animals", "v2", 0.25),
        row("LIST-01", "orders", "v1", 2, .failed), row("LIST-01", "orders", "v2", 0.0004),
    ])

    private static func timings(_ report: ContractReport = report) -> ContractTimings {
        ContractTimings(report, described: Fixture.tooling, whole: .seconds(5))
    }

    @Test func `the slowest rule comes first, with its time on each adapter; the sums are last`() {
        #expect(
            Self.timings().render(TerminalStyle(isColoured: false)) == """
                RULE     CASES       v1       v2    TOTAL  SHARE
                LIST-01      4  2.500 s  0.250 s  2.750 s   69 %
                AUTH-01      2        –  1.250 s  1.250 s   31 %
                total        6  2.500 s  1.500 s  4.000 s

                the whole run: 5.000 s, 1.000 s of it outside the cases

                """
        )
    }

    @Test func `unfolded, each rule has its operations under it, slowest first`() {
        let text = Self.timings().render(TerminalStyle(isColoured: false), isUnfolded: true)
        let names = text.split(separator: "\n").map { String($0.prefix(9).reversed().drop { $0 == " " }.reversed()) }
        #expect(names == ["RULE", "LIST-01", "  orders", "  animals", "AUTH-01", "total", "the whole"])
    }

    @Test func `for machines, each case has its time, beside the sums of adapters and rules`() throws {
        struct Read: Decodable {
            struct Part: Decodable {
                let rule: String?
                let operation: String?
                let adapter: String?
                let outcome: String?
                let cases: Int?
                let seconds: Double
            }
            let seconds: Double
            let secondsInCases: Double
            let cases: Int
            let adapters: [Part]
            let rules: [Part]
            let rows: [Part]
        }
        let read = try JSONDecoder().decode(Read.self, from: JSONEncoder().encode(Self.timings()))
        #expect(read.cases == 6 && read.seconds == 5 && abs(read.secondsInCases - 4) < 0.001)
        #expect(read.adapters.map(\.adapter) == ["v1", "v2"] && read.adapters.map(\.cases) == [3, 3])
        #expect(read.rules.map(\.rule) == ["LIST-01", "AUTH-01"])
        #expect(read.rows.map(\.seconds) == [2, 1.25, 0.5, 0.25, 0.0004, 0])
        #expect(read.rows[0].operation == "orders" && read.rows[0].outcome == "failed")
    }

    @Test func `a run that was stopped says so, and one of nothing has no shares`() {
        var report = Self.report
        report.stop = "it was interrupted, and 2 cases were left"
        let plain = TerminalStyle(isColoured: false)
        #expect(
            Self.timings(report).render(plain).hasSuffix(
                "\nthe run is incomplete: it was interrupted, and 2 cases were left\n"
            )
        )
        #expect(Self.timings(ContractReport()).render(plain).contains("total      0  0.000 s\n"))
    }
}
