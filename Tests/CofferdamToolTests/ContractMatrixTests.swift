import Cofferdam
import CofferdamSupport
import CofferdamContracts
import Testing

@testable import CofferdamTool

struct ContractMatrixTests {
    private let plain = TerminalStyle(isColoured: false)

    @Test("The matrix has a row for each rule, a column for each adapter, and the reasons below, worst last")
    func everyOutcome() {
        let report = Fixture.report([
            Fixture.row("LIST-01", "v1", .failed, "item 3 is missing"), Fixture.row("LIST-01", "v2", .passed),
            Fixture.row("AUTH-01", "v1", .skipped, "v1 does not declare sessionRefresh"),
            Fixture.row("AUTH-01", "v2", .timedOut, "not finished within 40 s"),
            Fixture.row("ZOO-09", "v1", .passed), Fixture.row("ZOO-09", "v2", .crashed, "signal 11"),
        ])
        #expect(
            ContractMatrix(report, described: Fixture.tooling).render(plain) == """
                RULE     LEVEL  v1  v2  PROMISE
                LIST-01  M      ✗   ✓   every item once
                AUTH-01  M      –   …   one refresh
                ZOO-09   M      ✓   !

                             RULE     ADAPTER  WHY
                – skipped    AUTH-01  v1       v1 does not declare sessionRefresh
                ✗ failed     LIST-01  v1       item 3 is missing
                … timed out  AUTH-01  v2       not finished within 40 s
                ! crashed    ZOO-09   v2       signal 11

                contracts: 2 passed, 1 skipped, 1 failed, 1 timed out, 1 crashed

                """
        )
    }

    @Test("A rule folds its operations, and unfolds them")
    func operations() {
        var rows = [
            Fixture.row("LIST-01", "v1", .passed), Fixture.row("LIST-01", "v1", .failed, "item 3 is missing"),
        ]
        rows[0].operation = "animals"
        rows[1].operation = "orders"
        let report = Fixture.report(rows)
        let folded = ContractMatrix(report, described: Fixture.tooling).render(plain)
        #expect(folded.contains("LIST-01  M      ✗ 1/2  every item once\n"))
        #expect(folded.contains("✗ failed  LIST-01 of orders  v1       item 3 is missing\n"))
        let unfolded = ContractMatrix(report, described: Fixture.tooling, detail: .operations).render(plain)
        #expect(unfolded.contains("\n  animals           ✓\n  orders            ✗\n"))
    }

    @Test("A page of families fits a screen: counts, then what is not green, then what does not apply, by its reason")
    func families() {
        var rows = [
            Fixture.row("LIST-01", "v1", .failed, "item 3 is missing"), Fixture.row("LIST-01", "v2", .passed),
            Fixture.row("LIST-02", "v1", .passed), Fixture.row("LIST-02", "v2", .passed),
        ]
        for number in 1...9 {
            let rule = RuleID(rawValue: "AUTH-0\(number)")
            rows.append(Fixture.row(rule, "v1", .skipped, "v1 does not declare sessionRefresh"))
            rows.append(Fixture.row(rule, "v2", number == 1 ? .crashed : .passed, number == 1 ? "signal 11" : nil))
        }
        let text = ContractMatrix(Fixture.report(rows), described: Fixture.tooling, detail: .families).render(plain)
        #expect(
            text == """
                FAMILY  RULES  v1        v2
                LIST        2  ✓ 1  ✗ 1  ✓ 2
                AUTH        9  – 9       ✓ 8  ! 1

                v1  judged: 2 of 11 rules
                v2  judged: 11 of 11 rules

                ✗ failed
                  LIST-01 on v1: item 3 is missing
                ! crashed
                  AUTH-01 on v2: signal 11

                9 cases do not apply, for 1 reason; --verbose names each case:
                – v1 does not declare sessionRefresh (v1 9)

                contracts: 11 passed, 9 skipped, 1 failed, 1 crashed

                """
        )
    }

    @Test("A page of families says which share of fields, operations and rules was judged on each adapter")
    func shares() {
        func row(_ rule: RuleID, _ adapter: String, _ operation: String, _ outcome: ContractReport.Outcome)
            -> ContractReport.Row
        {
            var row = Fixture.row(rule, adapter, outcome)
            row.operation = operation
            return row
        }
        let report = Fixture.report([
            row("VALUE-01", "v1", "animal.name", .passed), row("VALUE-01", "v1", "animal.legs", .failed),
            row("VALUE-01", "v1", "order.currency", .skipped), row("TIME-01", "v1", "order", .skipped),
            row("VALUE-01", "fake", "animal.name", .skipped),
        ])
        let text = ContractMatrix(report, described: Fixture.tooling, detail: .families).render(plain)
        #expect(text.contains("\nv1    judged: 2 of 3 fields, 1 of 2 operations, 1 of 2 rules\n"))
        #expect(text.contains("\nfake  judged: 0 of 1 fields, 0 of 1 operations, 0 of 1 rules\n"))
    }

    @Test("A table of coverage has a letter for each reason, and says how much has neither rules nor one")
    func coverage() {
        let look = PortOperation<Int, String, String>("look", .read) { _, text in text }
        let rules = [
            Rule<Int>("GET-01", "t") { _, _ in [] }.of("look"), Rule<Int>("STRM-01", "t") { _, _ in [] }.of("news"),
            Rule<Int>("TIME-01", "t") { _, _ in [] }.of("news"),
        ]
        let table = CoverageTable(ContractCoverage(operations: [.init(look)]), of: rules)
        #expect(
            table.render(plain) == """
                OPERATION  GET  STRM  TIME
                look         1     a  none

                a it is no stream

                look has no rule of TIME, and no reason for it
                coverage: 1 operation, 3 families: 1 without rules and without a reason

                """
        )
    }

    @Test("Rules that the stand cannot judge are distinguished from those that do not apply")
    func notJudged() {
        var row = Fixture.row("LIST-01", "v1", .skipped, "the harness of v1 lacks oddCallbacks")
        row.missingHarnessCapabilities = ["oddCallbacks"]
        let text = ContractMatrix(Fixture.report([row]), described: Fixture.tooling).render(plain)
        #expect(text.contains("? not judged  LIST-01  v1       the harness of v1 lacks oddCallbacks"))
        #expect(text.contains("contracts: 1 not judged\n"))
    }

    @Test(
        "A pair that was declared but not run is shown as not run, and as the reason why the run is not green (KIT-01)"
    )
    func missingPair() {
        var report = Fixture.report([Fixture.row("LIST-01", "v1", .passed)])
        report.declared.insert(.init(rule: "LIST-01", adapter: "v2"))
        let text = ContractMatrix(report, described: Fixture.tooling).render(plain)
        #expect(text.contains("not run"))
        #expect(text.contains("LIST-01 on v2 was declared and is not in the report"))
        #expect(!report.isGreen)
    }

    @Test("An empty run says that nothing was run")
    func empty() {
        let text = ContractMatrix(ContractReport(), described: Fixture.tooling).render(plain)
        #expect(text.contains("contracts: nothing was run"))
    }
}

struct ContractSelectionTests {
    @Test("Names select in any letter case; none selects all")
    func selects() throws {
        let all = try ContractSelection(of: Fixture.tooling, rules: [], adapters: [])
        #expect(all == ContractSelection(all: Fixture.tooling))
        let some = try ContractSelection(of: Fixture.tooling, rules: ["list-01"], adapters: ["V2"])
        #expect(some.rules == ["LIST-01"])
        #expect(some.adapters == ["v2"])
    }

    @Test("A name that matches nothing is an error that lists the known ones, even beside one that matches")
    func unknown() {
        #expect(throws: UnknownSelection(kind: "rule", name: "LIST-1", known: ["AUTH-01", "LIST-01"])) {
            try ContractSelection(of: Fixture.tooling, rules: ["LIST-01", "LIST-1"], adapters: [])
        }
        #expect(throws: UnknownSelection(kind: "adapter", name: "v3", known: ["v1", "v2"])) {
            try ContractSelection(of: Fixture.tooling, rules: [], adapters: ["v3"])
        }
    }
}
