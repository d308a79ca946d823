import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import Testing

@testable import CofferdamTool

struct UpgradeTextTests {
    private let plain = TerminalStyle(isColoured: false)

    @Test func `status before the first step`() async throws {
        let bench = UpgradeBench()
        let statuses = try await bench.controls.status(of: bench.capabilities)
        #expect(
            StatusTable(statuses: statuses, note: "Nothing is stored in '\u{1B}x' yet.").render(plain) == """
                catalogue  V1 only
                  All users are on V1. The upgrade has not begun.
                  It waits for a person. The next step: V2 in the background.

                Nothing is stored in '\\u{1b}x' yet.

                """
        )
    }

    @Test func `status in the shadow: how it stands, how far the evidence is, and how it grew`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        await bench.count(2, of: 4_000)
        let statuses = try await bench.controls.status(of: bench.capabilities)
        #expect(
            StatusTable(statuses: statuses).render(plain) == """
                catalogue  V2 in the background for 1 h 2 min
                  All users are on V1; V2 is compared in the background. 2 of 4,000 got another
                  answer (0.05 %).
                  Next: 5 % on V2, after 8,081 more users without a difference, in about 2 h 1
                  min.

                """
        )
    }

    @Test func `status in a canary begins with what is happening to users`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .canary(share: 500))
        // The windows of the three users are still open, so none of them counts for a promotion yet.
        let counts: [Metric: FailureCounts] = [
            .candidateFailures: .none, Metric.candidateFailures.includingOpenWindows: FailureCounts(3, of: 3),
        ]
        let stage = Stage.canary(share: 500)
        let reading = GateReading(stage: stage, epoch: 2, seconds: 600, metrics: counts)
        await bench.evidence.append(
            EvidenceSnapshot(
                capability: "catalogue",
                at: UpgradeBench.now - 10_000,
                reading: reading,
                outcomes: OutcomeCounts()
            )
        )
        let text = StatusTable(statuses: try await bench.controls.status(of: bench.capabilities)).render(plain)
        #expect(text.contains("  5 % of users are on V2. 3 of 3 had a failure on V2 (100 %).\n"), "\(text)")
    }

    @Test(
        arguments: [
            (.canary(share: 500), [.legacy], "does not bring V2 back: it continues with V1 only", .legacyOnly),
            (.candidateOnly, [.legacy], "does not bring V2 back: it continues with V1 only", .legacyOnly),
            (.legacyOnly, [.legacy], "does not bring V2 back: the upgrade stays at V1 only", .legacyOnly),
            (.canary(share: 500), [.candidate], "continues with: 5 % on V2", .canary(share: 500)),
            (.canary(share: 500), [.freeze], "continues with: 5 % on V2", .canary(share: 500)),
            (.canary(share: 500), [.legacy, .freeze], "continues with: V1 only", .legacyOnly),
            (.canary(share: 500), [.legacy, .candidate], "continues with: 5 % on V2", .canary(share: 500)),
        ] as [(Stage, [KillSwitch.Target], String, Stage)]
    )
    func `a kill says what resume does, and resume does it`(
        stage: Stage,
        kills: [KillSwitch.Target],
        promise: String,
        after: Stage
    ) async throws {
        let bench = UpgradeBench()
        if stage != .legacyOnly { try await bench.walk(to: stage) }
        func advice(_ action: UpgradeAction) async throws -> String {
            let report = try await bench.controls.change(bench.capabilities, .certain(action), by: "amara", reason: "r")
            return report.advice("tool")
        }
        var said = ""
        for kill in kills { said = try await advice(.kill(kill)) }
        #expect(said.hasPrefix("`tool upgrade resume` \(promise)"), "\(said)")
        #expect(try await advice(.resume) == "")
        let status = try #require(try await bench.controls.status(of: bench.capabilities).first)
        #expect(status.stage == after)
    }

    @Test func `status after a kill whose text would steer the terminal`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        let request = UpgradeRequest(.kill(.legacy), by: "a\u{1B}[2J", reason: "b\nc", at: UpgradeBench.now, id: "k")
        _ = try await bench.store.carryOut(request, for: "catalogue", plan: UpgradeBench.plan)
        let text = StatusTable(statuses: try await bench.controls.status(of: bench.capabilities)).render(plain)
        #expect(!text.contains("\u{1B}"))
        #expect(text.contains("  All users are on V1: a\\u{1b}[2J stopped V2.\n  Reason: b\\nc\n"))
        #expect(text.contains("Lifting the stop does not bring V2\n  back."))
    }

    @Test func `plan: the stages with their tests, the α of each, G and T`() throws {
        let reports = try PlanReport.reports(UpgradeBench().capabilities, attempt: 1)
        #expect(
            reports.map { $0.render(plain, showsNumbers: true) } == [
                """
                catalogue
                At most 0.001 of the units may fail; attempt 1.
                Promotions: G = 2, α 0.01 for all, 0.00304 for each.
                Rollback tests: T = 10, α 0.01 for all, 0.0006079 for each.

                STAGE          CLEAN UNITS  TEST               METRIC                            Α  RULE
                legacyOnly               –  a person: advance
                shadow(10000)         6281  promote            comparison                  0.00304  mixture below 0.001
                                            rollBack           mismatches+open           0.0006079  probability ratio 0.001 against 0.0001
                                            rollBack           pairedFailures            0.0006079  Bayes factor against a share of 0.5, and 0.001 against 0.0001 of its units
                                            veto               pairedSlow                0.0006079  Bayes factor against a share of 0.5, and 0.02 against 0.01 of its units
                canary(500)           6281  promote            candidateFailures           0.00304  mixture below 0.001
                                            rollBack           canaryFailures            0.0006079  Bayes factor against a share of activeUnits, and 0.001 against 0.0001 of its units
                                            rollBack           canarySlow                0.0006079  Bayes factor against a share of activeUnits, and 0.02 against 0.01 of its units
                                            rollBack           canaryGaveUp              0.0006079  Bayes factor against a share of activeUnits, and 0.001 against 0.0001 of its units
                                            rollBack           canaryAnswers.*           0.0006079  two-sided Bayes factor against a share of activeUnits, and 0.001 against 0.0001 of its units
                                            veto               canaryUnseen              0.0006079  Bayes factor against a share of activeUnits, and 0.001 against 0.0001 of its units
                                            veto               comparison+open           0.0006079  probability ratio 0.001 against 0.0001
                                            veto               activeUnits               0.0006079  two-sided Bayes factor against a share of 0.05
                                            rollBack           candidateFailures+open/*  0.0006079  probability ratio 0.01 against 0.001
                candidateOnly            –  rollBack           candidateFailures+open    0.0006079  probability ratio upper bound of legacyFailures + 0.001 against upper bound of legacyFailures + 0.0001
                                            rollBack           candidateAnswers.*        0.0006079  probability ratio 2.0 × upper bound of legacyAnswers.* + 0.001 against upper bound of legacyAnswers.* + 0.0001
                                            rollBack           candidateFailures+open/*  0.0006079  probability ratio 0.01 against 0.001

                """
            ]
        )
    }

    @Test func `plan in words fits 80 columns`() throws {
        let report = try #require(try PlanReport.reports(UpgradeBench().capabilities, attempt: 1).first)
        let text = report.render(plain)
        #expect(
            text == """
                catalogue
                At most 0.1 % of users may have a failure on V2. All steps together
                err in less than 1.0 % of upgrades. `--numbers` shows the tests.

                STEP                  GOES ON AFTER                   GOES BACK IF V2
                V1 only               a person says so
                V2 in the background  6,281 users without difference  differs, fails
                5 % on V2             6,281 users without failure     fails, lags, hangs
                V2 only                                               fails

                """
        )
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `plan with the users of a day: how long each gate takes, that it cannot end, and what is offered`()
        throws
    {
        let report = try #require(
            try PlanReport.reports(UpgradeBench().capabilities, attempt: 1, dailyUsers: 1_000).first
        )
        #expect(report.duration?.stages.map(\.units) == [10_000, 6_281, 6_281])
        #expect(report.problems?.count == 2)
        #expect(report.offers?.map(\.name) == [.strict, .standard, .small])
        #expect(report.offers?.map(\.canEnd) == [false, false, true])
        for offer in report.offers ?? [] {
            #expect(offer.letsThrough.count == 3)
            #expect(try #require(offer.letsThrough.last).promoted < 0.001)
        }
        let text = report.render(plain)
        #expect(text.contains("canary(500)     6281    5.0 %   126\n"), "\(text)")
        let never = "canary(500) needs 126 days, and its gate gives up before and asks a person"
        #expect(text.contains("This plan cannot end: \(never).\n"))
        #expect(text.contains("This plan cannot end: it takes 142 days with 1000 units a day, more than 90.\n"))
        let json = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
        for field in ["\"duration\"", "\"problems\"", "\"offers\"", "\"letsThrough\"", "\"dailyUsers\":1000"] {
            #expect(json.contains(field))
        }
        let unasked = try #require(try PlanReport.reports(UpgradeBench().capabilities, attempt: 1).first)
        #expect(unasked.duration == nil && unasked.offers == nil && unasked.problems == nil)
    }

    @Test func `Upgrades with the same plan are shown once, each attempt with its remaining α`() throws {
        var bench = UpgradeBench()
        bench.names = ["catalogue", "orders"]
        let first = try PlanReport.reports(bench.capabilities, attempt: 1)
        let second = try PlanReport.reports(bench.capabilities, attempt: 2)
        #expect(first.map(\.capabilities) == [["catalogue", "orders"]])
        #expect(abs(first[0].alphaOfEach - 4 * second[0].alphaOfEach) < 1e-12)
    }

    @Test func `history: the newest first`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .canary(share: 500))
        let lines = try await bench.controls.history(of: bench.capabilities, last: 20)
        #expect(
            HistoryLine.table(lines).render(plain) == """
                WHEN (UTC)           UPGRADE    WHO    WHAT                        AFTERWARDS            WHY     ENTRY
                2026-11-22 04:39:00  catalogue  amara  next step despite the gate  5 % on V2             step 2  catalogu
                2026-11-22 04:38:00  catalogue  amara  next step despite the gate  V2 in the background  step 1  catalogu

                """
        )
    }

    @Test func `history shows which operations an abort has taken back`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .canary(share: 500))
        let overrides = [("orders.place", Stage.legacyOnly), ("photos.get", .candidateOnly)]
        for (operation, stage) in overrides {
            let move = UpgradeAction.override(operation: operation, stage: stage, despiteGate: true)
            _ = try await bench.controls.change(bench.capabilities, .certain(move), by: "amara", reason: "r")
        }
        let report = try await bench.controls.change(bench.capabilities, .certain(.abort), by: "amara", reason: "r")
        #expect(
            report.text == """
                catalogue: attempt given up, photos.get no longer at: V2 only, by amara: 5 % on V2 → V1 only

                """
        )
        #expect(report.changes[0].before.overrides == ["orders.place": .legacyOnly, "photos.get": .candidateOnly])
        #expect(report.changes[0].after.overrides == ["orders.place": .legacyOnly])
    }

    @Test func `The histories of several upgrades are merged by time, and no longer than requested`() async throws {
        var bench = UpgradeBench()
        bench.names = ["catalogue", "orders"]
        for name in bench.names { try await bench.walk(to: .canary(share: 500), name) }
        let lines = try await bench.controls.history(of: bench.capabilities, last: 3)
        #expect(lines.map(\.id) == ["catalogue-2", "orders-2", "catalogue-1"])
    }

    @Test(
        arguments: [
            (-5, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (3_725, "1 h 2 min"), (86_400, "1 d"),
            (1_000_000, "11 d 13 h"),
        ] as [(Int64, String)]
    )
    func `A span is shown as its two largest units`(_ seconds: Int64, _ text: String) {
        #expect(ShownTime.span(seconds: seconds) == text)
    }

    @Test func `A long row is thinned evenly, its ends kept`() {
        #expect(Array(0...100).thinned(to: 5) == [0, 25, 50, 75, 100])
        #expect([1, 2].thinned(to: 5) == [1, 2])
        #expect([1, 2].thinned(to: 0) == [])
    }

    #if CommandLine
    @Test func `The JSON of a status and of a change`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        await bench.count(0, of: 10, steps: 1)
        var status = try await bench.controls.status(of: bench.capabilities)[0]
        #expect(status.last?.id == "catalogue-1")
        status.last = nil
        status.gate.logEvidence = 0.5
        status.gate.threshold = 5.5
        status.gate.series = []
        status.gate.reasons = []
        status.gate.operations = []
        status.gate.tests = []
        #expect(
            String(decoding: try OutputFile.json(status), as: UTF8.self) == """
                {
                  "ageSeconds" : 3720,
                  "attempt" : 1,
                  "capability" : "catalogue",
                  "epoch" : 1,
                  "gate" : {
                    "asOf" : "2026-11-22T05:39:50Z",
                    "decidesNextStep" : true,
                    "evidenceAgeSeconds" : 10,
                    "failures" : 0,
                    "gaps" : [

                    ],
                    "hasUnits" : true,
                    "logEvidence" : 0.5,
                    "metric" : "comparison",
                    "moreCleanUnits" : 6271,
                    "operations" : [

                    ],
                    "reasons" : [

                    ],
                    "remarks" : [
                      "At this rate the stage takes 26 d 3 h more, and its gate gives up after 14 d: `upgrade plan --daily-users` offers plans that end"
                    ],
                    "secondsLeft" : 2257560,
                    "series" : [

                    ],
                    "tests" : [

                    ],
                    "threshold" : 5.5,
                    "units" : 10,
                    "verdict" : "hold"
                  },
                  "next" : "canary(500)",
                  "overrides" : {

                  },
                  "revision" : 1,
                  "since" : "2026-11-22T04:38:00Z",
                  "stage" : "shadow(10000)",
                  "waitsFor" : "evidence"
                }

                """
        )
        let kill = RequestedChange.certain(.kill(.legacy))
        let report = try await bench.controls.change(bench.capabilities, kill, by: "amara", reason: "orders fail")
        #expect(
            String(decoding: try OutputFile.json(report), as: UTF8.self) == """
                {
                  "changes" : [
                    {
                      "action" : "kill",
                      "after" : {
                        "attempt" : 1,
                        "epoch" : 1,
                        "kill" : "legacy",
                        "stage" : "shadow(10000)"
                      },
                      "at" : "2026-11-22T05:40:00Z",
                      "before" : {
                        "attempt" : 1,
                        "epoch" : 1,
                        "stage" : "shadow(10000)"
                      },
                      "by" : "amara",
                      "capability" : "catalogue",
                      "id" : "entry-1",
                      "plain" : "all users to V1",
                      "reason" : "orders fail",
                      "what" : "kill legacy"
                    }
                  ],
                  "failed" : [

                  ],
                  "neverBegun" : [

                  ],
                  "refused" : [

                  ]
                }

                """
        )
    }
    #endif
}
