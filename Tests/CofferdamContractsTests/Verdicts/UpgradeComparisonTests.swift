import CofferdamContracts
import Testing

@Suite struct UpgradeComparisonTests {
    private typealias Outcome = ContractReport.Outcome

    @Test func `each pair of outcomes has one verdict`() {
        let all: [Outcome?] = [.passed, .failed, .crashed, .timedOut, .skipped, nil]
        for old in all {
            for new in all {
                let expected: RuleVerdict =
                    switch (old, new) {
                    case (nil, _), (_, nil), (.skipped, .skipped): .notRun
                    case (.skipped, _), (_, .skipped): .notComparable
                    case (.passed, .passed): .passes
                    case (.passed, _): .regressed
                    case (_, .passed): .fixed
                    default: .bothFail
                    }
                #expect(RuleVerdict(legacy: old, candidate: new) == expected)
            }
        }
    }

    @Test func `rules come in the order of the report, with what was wrong with the candidate`() {
        let comparison = UpgradeComparison(
            Made.report([
                (Made.rule("LIST-02"), .passed, .failed), (Made.rule("LIST-01"), .failed, .passed),
                (Made.rule("GET-08", .optional), .skipped, .passed),
            ]),
            from: "v1",
            to: "v2"
        )
        #expect(comparison.rows.map(\.rule) == ["LIST-02", "LIST-01", "GET-08"])
        #expect(comparison.rows.map(\.verdict) == [.regressed, .fixed, .notComparable])
        #expect(comparison.rules(.fixed) == ["LIST-01"])
    }

    @Test func `capabilities are lost, gained, kept, and proposed where they work undeclared`() {
        var report = Made.report(
            [(Made.rule("GET-08", .optional, requires: ["cache"]), .passed, .skipped)],
            v1: ["names", "cache", "both"],
            v2: ["both", "cursors"]
        )
        report.rows[1].worksUndeclared = true
        let changes = UpgradeComparison(report, from: "v1", to: "v2").capabilities
        #expect(changes.lost == ["cache", "names"])
        #expect(changes.gained == ["cursors"])
        #expect(changes.kept == ["both"])
        #expect(changes.proposed == ["cache"])
        report.rows[1].worksUndeclared = false
        #expect(UpgradeComparison(report, from: "v1", to: "v2").capabilities.proposed.isEmpty)
    }

    @Test func `a rule is tried without its capability if requested, and stays skipped`() async {
        let rules = [StoreContract.remembers, StoreContract.expires]
        let report = await ContractRunner(rules: rules, adapters: [.dictionary], triesUndeclared: true).run()
        let row = report.row(of: "kv/KV-03", on: "dictionary")
        #expect(row?.outcome == .skipped)
        #expect(row?.worksUndeclared == true)
        #expect(row?.missingCapabilities == ["expiry"])
        #expect(row?.detail == "dictionary does not declare expiry; tried anyway: passed")
    }
}
