import CofferdamContracts
import Foundation
import Testing

@Suite struct UpgradeVerdictTests {
    private func verdict(_ report: ContractReport, today: String = "2026-11-21", digest: String? = nil)
        -> UpgradeVerdict
    {
        UpgradeVerdict(report, from: "v1", to: "v2", today: CalendarDay(stringLiteral: today), digest: digest)
    }

    private let good = Made.report([
        (Made.rule("LIST-01"), .passed, .passed), (Made.rule("LIST-02"), .failed, .passed),
    ])

    @Test func `yes needs every binding rule to pass, and is valid for two weeks`() {
        let verdict = verdict(good)
        #expect(verdict.verdict == .yes)
        #expect(verdict.reasons == ["1 rules pass, 1 fixed, none regressed; no capability is lost except known ones"])
        #expect(verdict.notes == ["fixed: LIST-02"])
        #expect(verdict.digest == "d16e57")
        #expect(verdict.expires == "2026-12-05")
        #expect(verdict.candidate?.identity.sdk == "Vendor v2")
        #expect(verdict.stamp == Made.stamp)
    }

    @Test(arguments: [ContractReport.Outcome.failed, .crashed, .timedOut])
    func `no if a rule has regressed, unless it is only of level S`(_ outcome: ContractReport.Outcome) {
        for level in [RuleLevel.must, .optional, .stochastic, .should] {
            let report = Made.report([
                (Made.rule("LIST-01"), .passed, .passed), (Made.rule("shop/A-01", level), .passed, outcome),
            ])
            #expect(verdict(report).verdict == (level == .should ? .yes : .no), "\(level)")
        }
    }

    @Test func `no if a capability is lost, unless that is accepted, and only as long as it is`() {
        var report = Made.report(
            [(Made.rule("LIST-01", requires: ["names"]), .passed, .skipped), (Made.rule("LIST-02"), .passed, .passed)],
            v1: ["names"]
        )
        #expect(verdict(report).verdict == .no)
        #expect(verdict(report).reasons == ["v2 lacks names, which v1 has"])
        report.deviations = [
            KnownDeviation(
                .lostCapability("names", by: "v2"),
                reason: "exported before",
                link: Made.link,
                expires: "2026-11-25"
            )
        ]
        #expect(verdict(report).verdict == .yes)
        #expect(verdict(report).expires == "2026-11-25")
        #expect(verdict(report, today: "2026-11-26").verdict == .no)
    }

    @Test(arguments: [RuleLevel.must, .optional, .stochastic, .should])
    func `unknown if nothing is known of a binding rule that the old adapter keeps, unless that is accepted`(
        _ level: RuleLevel
    ) {
        var report = Made.report([
            (Made.rule("LIST-01"), .passed, .passed), (Made.rule("CANC-07", level), .passed, .skipped),
            (Made.rule("CANC-08", level), .passed, .skipped),
        ])
        let isBinding = level != .should
        #expect(verdict(report).verdict == (isBinding ? .unknown : .yes))
        let doubt = "CANC-07, CANC-08 are kept by v1 and unknown on v2: v2 does not declare it"
        #expect(verdict(report).reasons.contains(doubt) == isBinding)
        let note = "CANC-07, CANC-08 are not comparable: v2 does not declare it"
        #expect(verdict(report).notes == (isBinding ? [] : [note]))
        report.deviations = (["CANC-07", "CANC-08"] as [RuleID]).map { rule in
            KnownDeviation(
                .rule(rule, on: "v2"),
                reason: "r",
                link: Made.link,
                expires: "2026-11-25",
                outcome: .skipped
            )
        }
        #expect(report.problems == [])
        #expect(verdict(report).verdict == .yes)
        #expect(verdict(report).notes == ["CANC-07, CANC-08 are known until 2026-11-25: r (\(Made.link))"])
        #expect(verdict(report).expires == "2026-11-25")
        #expect(verdict(report, today: "2026-11-26").verdict == .unknown)
        // A rule that runs is not skipped as known.
        report.rows[3].outcome = .passed
        report.rows[5].outcome = .failed
        #expect(
            report.problems == [
                "CANC-07 on v2 is known to deviate, and passed: \(Made.link)",
                "CANC-08 on v2 is known to deviate, and failed: \(Made.link)",
            ]
        )
        #expect(report.failures.map(\.rule) == ["CANC-08"])
    }

    @Test func `every rule that was judged on one of them only is named with the reason`() {
        let report = Made.report([
            (Made.rule("LIST-01"), .passed, .passed), (Made.rule("LIST-06"), .skipped, .passed),
        ])
        #expect(verdict(report).verdict == .yes)
        #expect(verdict(report).notes == ["LIST-06 is not comparable: v1 does not declare it"])
    }

    @Test func `no if the candidate breaks a rule that applies only to it`() {
        let report = Made.report(
            [(Made.rule("LIST-01"), .passed, .passed), (Made.rule("LIST-06", requires: ["c"]), .skipped, .failed)],
            v2: ["c"]
        )
        #expect(verdict(report).verdict == .no)
    }

    @Test func `a known deviation does not block, and limits how long the answer is valid`() {
        let known = KnownDeviation(
            .rule("LIST-01", on: "v2"),
            reason: "r",
            link: Made.link,
            expires: "2026-11-22"
        )
        let report = Made.report(
            [(Made.rule("LIST-01"), .passed, .failed), (Made.rule("LIST-02"), .passed, .passed)],
            deviations: [known]
        )
        #expect(verdict(report).verdict == .yes)
        #expect(verdict(report).notes == ["LIST-01 is known until 2026-11-22: r (\(Made.link))"])
        #expect(verdict(report).expires == "2026-11-22")
        #expect(verdict(report, today: "2026-11-23").verdict == .unknown)
    }

    @Test func `unknown is not yes`() {
        var cases: [(why: String, report: ContractReport)] = []
        func without(_ why: String, _ change: (inout ContractReport) -> Void) {
            var report = good
            change(&report)
            cases.append((why, report))
        }
        without("contract's digest") { $0.digest = "" }
        without("date of the run") { $0.stamp = nil }
        without("SDK's version behind v2") { $0.adapters[1].identity.sdk = nil }
        without("v2 was not run") { $0.rows.removeAll { $0.adapter == "v2" } }
        // As if neither could be opened.
        without("v1 passes no rule") { report in
            for index in report.rows.indices { report.rows[index].outcome = .failed }
        }
        without("only a part of the contract was run") { $0.rules.append(Made.rule("GET-01")) }
        without("LIST-02 on v2 was declared and is not in the report") { $0.rows.removeLast() }
        without("dated 2026-11-22, which is in the future") { $0.stamp?.date = "2026-11-22" }
        without("the run was valid until 2026-11-20") { $0.stamp?.date = "2026-11-06" }
        for (why, report) in cases {
            let verdict = verdict(report)
            #expect(verdict.verdict == .unknown, "\(why)")
            #expect(verdict.reasons.contains { $0.contains(why) }, "\(verdict.reasons)")
        }
        #expect(verdict(good, digest: "another").verdict == .unknown)
        #expect(verdict(good, digest: "d16e57").verdict == .yes)
        #expect(verdict(ContractReport()).verdict == .unknown)
    }

    @Test func `machines read verdict, reasons, digest and expires, whatever the answer`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for report in [good, ContractReport()] {
            let verdict = verdict(report)
            let data = try encoder.encode(verdict)
            let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
            #expect(Set(["verdict", "reasons", "digest", "expires"]).isSubset(of: object.keys))
            #expect(object["verdict"] as? String == verdict.verdict.rawValue)
            #expect(try JSONDecoder().decode(UpgradeVerdict.self, from: data) == verdict)
        }
    }
}
