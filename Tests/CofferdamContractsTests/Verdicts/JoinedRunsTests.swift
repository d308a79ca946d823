import CofferdamContracts
import Foundation
import Testing

@Suite struct JoinedRunsTests {
    /// The run of one build, over the adapter and perhaps a fake.
    private static func run(
        _ adapter: String,
        _ outcomes: [ContractReport.Outcome] = [.passed, .passed],
        fake: Bool = false
    )
        -> ContractReport
    {
        var report = ContractReport(digest: "d16e57")
        report.rules = [Made.rule("LIST-01"), Made.rule("LIST-02")]
        report.adapters = [Made.adapter(adapter)] + (fake ? [Made.adapter("fake", .fake)] : [])
        report.rows = zip(report.rules, outcomes).map { Made.row($0.id, adapter, $1) }
        if fake { report.rows += report.rules.map { Made.row($0.id, "fake") } }
        report.declared = Set(report.rows.map(\.id))
        report.stamp = Made.stamp
        return report
    }

    private static func joined(_ v1: ContractReport, _ v2: ContractReport) -> ContractReport {
        JoinedRuns([.init("v1.json", v1), .init("v2.json", v2)], today: Made.today).report
    }

    private static func verdict(_ v1: ContractReport, _ v2: ContractReport) -> UpgradeVerdict {
        UpgradeVerdict(joined(v1, v2), from: "v1", to: "v2", today: Made.today, digest: "d16e57")
    }

    @Test func `two builds' runs are judged as one`() throws {
        let verdict = Self.verdict(Self.run("v1", fake: true), Self.run("v2", fake: true))
        #expect(verdict.verdict == .yes, "\(verdict.reasons)")
        #expect(Self.verdict(Self.run("v1"), Self.run("v2", [.passed, .failed])).verdict == .no)
        #expect(Self.verdict(Self.run("v1", [.failed, .passed]), Self.run("v2")).notes == ["fixed: LIST-01"])
        let joined = Self.joined(Self.run("v1", fake: true), Self.run("v2", fake: true))
        #expect(joined.adapters.map(\.name) == ["v1", "fake", "v2"])
        #expect(joined.isWhole && joined.isGreen)
        // A single run is its own report, and reading it from a file does not change it.
        let one = Self.run("v1")
        #expect(JoinedRuns([.init("v1.json", one)], today: Made.today).report == one)
        let read = try JSONDecoder().decode(ContractReport.self, from: JSONEncoder().encode(Self.run("v2")))
        #expect(Self.verdict(one, read).verdict == .yes)
    }

    @Test func `what one adapter's build cannot know is not a problem of the joined report`() throws {
        // The fake declares a capability that only V2 has, and a deviation of V2 is known.
        var v1 = Self.run("v1", fake: true)
        v1.rules[1] = Made.rule("LIST-02", requires: ["names"])
        v1.adapters[1] = Made.adapter("fake", .fake, ["names"])
        v1.rows[1] = Made.row("LIST-02", "v1", .skipped)
        v1.deviations = [
            KnownDeviation(.rule("LIST-01", on: "v2"), reason: "r", link: Made.link, expires: "2026-12-24")
        ]
        var v2 = Self.run("v2", [.failed, .passed])
        v2.rules = v1.rules
        v2.adapters = [Made.adapter("v2", .live, ["names"])]
        v2.deviations = v1.deviations
        #expect(v1.problems.count == 2)
        v1 = try JSONDecoder().decode(ContractReport.self, from: JSONEncoder().encode(v1))
        #expect(v1.problems.count == 2)
        #expect(Self.joined(v1, v2).problems == [])
        #expect(Self.verdict(v1, v2).verdict == .yes)
    }

    @Test func `the older run counts`() {
        var old = Self.run("v1")
        old.stamp?.date = "2026-11-10"
        #expect(Self.verdict(old, Self.run("v2")).expires == "2026-11-24")
        #expect(Self.verdict(Self.run("v1"), Self.run("v2")).expires == "2026-12-05")
        old.stamp?.date = "2026-11-06"
        let verdict = Self.verdict(old, Self.run("v2"))
        #expect(verdict.verdict == .unknown)
        #expect(verdict.reasons == ["the run was valid until 2026-11-20"])
    }

    @Test func `a disagreement between runs leaves the answer unknown, and names the files`() {
        var cases: [(why: String, v1: ContractReport, v2: ContractReport)] = []
        func expect(_ why: String, _ change: (inout ContractReport, inout ContractReport) -> Void) {
            var (v1, v2) = (Self.run("v1", fake: true), Self.run("v2", fake: true))
            change(&v1, &v2)
            cases.append((why, v1, v2))
        }
        expect("the runs were made with different contracts: v1.json d16e57, v2.json beef") { $1.digest = "beef" }
        expect("the runs were made with different contracts: v1.json no digest, v2.json d16e57") { v1, _ in
            v1.digest = ""
        }
        expect("the runs describe different rules: v1.json 2, v2.json 2") {
            $1.rules[0] = Made.rule("LIST-01", .should)
        }
        expect("the runs were made with different fixtures: v1.json f00d, v2.json none") { $1.stamp?.fixtures = "" }
        expect("the runs were made with different fixtures: v1.json f00d, v2.json cafe") { $1.stamp?.fixtures = "cafe" }
        expect("v2.json does not state where and when it was made") { $1.stamp = nil }
        expect("v2.json is dated 2026-11-22, which is in the future") { $1.stamp?.date = "2026-11-22" }
        expect("v2.json: only a part of the contract was run on v2: 1 of 2 cases are missing") { _, v2 in
            v2.rows.removeAll { $0.id == .init(rule: "LIST-02", adapter: "v2") }
        }
        expect("v1.json: the run is incomplete: it was interrupted, and 1 case was left") { v1, _ in
            v1.rows.removeLast()
            v1.stop = "it was interrupted, and 1 case was left"
        }
        expect("v2.json: LIST-01 on v2 is in the report 2 times") { _, v2 in v2.rows.append(v2.rows[0]) }
        expect("v1.json: the fixtures could not be read") { v1, _ in v1.findings = ["the fixtures could not be read"] }
        expect("LIST-01 on fake passed in v1.json and failed in v2.json") {
            $1.rows[2] = Made.row("LIST-01", "fake", .failed)
        }
        expect("v1.json and v2.json describe fake differently: SDK Vendor fake or Vendor 7") {
            $1.adapters[1].identity.sdk = "Vendor 7"
        }
        expect("v1.json and v2.json describe fake differently: capabilities names") {
            $1.adapters[1] = Made.adapter("fake", .fake, ["names"])
        }
        // With chosen adapters, the description names all of them, and no run has the fake's rows.
        expect("only a part of the contract was run") { v1, v2 in
            v1.rows.removeAll { $0.adapter == "fake" }
            v2.rows.removeAll { $0.adapter == "fake" }
        }
        expect("v2 was not run") { $1.rows.removeAll { $0.adapter == "v2" } }
        for (why, v1, v2) in cases {
            let verdict = Self.verdict(v1, v2)
            #expect(verdict.verdict == .unknown, "\(why)")
            #expect(verdict.reasons.contains(why), "\(why): \(verdict.reasons)")
        }
    }

    @Test func `the worse of two results counts, whichever file comes first`() {
        let (good, bad) = (Self.run("v2"), Self.run("v2", [.passed, .failed]))
        for pair in [[good, bad], [bad, good]] {
            let runs = [Self.run("v1")] + pair
            let report = JoinedRuns(runs.enumerated().map { .init("\($0)", $1) }, today: Made.today).report
            #expect(report.row(of: "LIST-02", on: "v2")?.outcome == .failed)
            #expect(UpgradeVerdict(report, from: "v1", to: "v2", today: Made.today).verdict == .no)
        }
    }

    @Test func `every system and toolchain is stated, and what one run omits stays unknown`() {
        var other = Self.run("v2")
        other.stamp = RunStamp(fixtures: "f00d", os: "macOS 26", toolchain: "Swift 6.3.1", date: Made.today)
        #expect(
            Self.joined(Self.run("v1"), other).stamp
                == RunStamp(fixtures: "f00d", os: "Debian 12; macOS 26", toolchain: "Swift 6.3.1", date: Made.today)
        )
        #expect(Self.verdict(Self.run("v1"), other).verdict == .yes)
        other.stamp = RunStamp(fixtures: "f00d", os: "", toolchain: "Swift 6.3.1", date: Made.today)
        #expect(Self.verdict(Self.run("v1"), other).reasons == ["the report does not state the operating system"])
    }
}
