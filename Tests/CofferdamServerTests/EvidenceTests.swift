#if Server
import Cofferdam
import CofferdamSupport
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("The evidence of devices") struct EvidenceTests {
    private static let shadow = Stage.shadow(sample: .all)

    /// One device's reports of its window, step by step: each report has all marks so far.
    private static func story(_ unit: Int) -> [EvidenceReport] {
        let steps: [(marks: [String], settled: Bool)] = [
            (["match"], false), (["match", "mismatch"], false), (["match", "mismatch"], true),
        ]
        return steps.map {
            Reports.report(
                shadow,
                epoch: 1,
                unit..<unit + 1,
                Reports.windows("comparisons", $0.marks, settled: $0.settled)
            )
        }
    }

    @Test func `a unit counts once, however its posts are repeated and reordered`() async throws {
        let orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2, 0, 1], [2, 2, 2], [0, 2, 1, 1], [1, 2]]
        for order in orders {
            try await TestServer.with { server in
                try await server.order("advance")
                for place in order { #expect(try await server.report([Self.story(7)[place]]).status == 200) }
                let metrics = try await server.reading().metrics
                #expect(metrics[.comparison] == FailureCounts(1, of: 1), "\(order)")
                #expect(metrics[Metric.comparison.of("place")] == FailureCounts(1, of: 1), "\(order)")
            }
        }
    }

    @Test func `in one post or many, from one connection or many, the counts are the same`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let posts = (0..<40).flatMap { unit in Self.story(unit) + Self.story(unit) }
            var dice = SplitMix64(seed: 5)
            let shuffled = posts.shuffled(using: &dice)
            try await withThrowingTaskGroup { group in
                for report in shuffled { group.addTask { try await server.report([report]).status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await server.reading().metrics[.comparison] == FailureCounts(40, of: 40))
        }
    }

    @Test func `an open window delays a promotion, and its failure counts at once`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            try await server.report([Self.story(1)[0], Self.story(2)[1]])
            let metrics = try await server.reading().metrics
            #expect(metrics[.comparison] == FailureCounts(1, of: 1))
            #expect(metrics[Metric.comparison.includingOpenWindows] == FailureCounts(1, of: 2))
        }
    }

    @Test func `acknowledged units survive the server, and count once afterwards`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            for unit in 0..<10 { try await server.report(Self.story(unit)) }
            await server.stop()
            try await server.start()
            for unit in 5..<15 { try await server.report(Self.story(unit)) }
            #expect(try await server.reading().metrics[.comparison] == FailureCounts(15, of: 15))
            let history = try await server.get("/v1/capabilities/orders")
            #expect(history.text.contains(#""action":"advance""#))
        }
    }

    @Test func `another epoch's report does not count, and the device may forget it`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let early = Reports.baseline(0..<3)
            let late = Reports.report(Self.shadow, epoch: 99, 0..<2, Reports.windows("comparisons", ["match"]))
            let answer = try await server.report([early, late, Self.story(1)[2]])
            #expect(answer.status == 200)
            #expect(answer.text == #"{"counted":1,"dropped":0,"outdated":5}"#)
            #expect(try await server.reading().metrics[.comparison] == FailureCounts(1, of: 1))
        }
    }

    @Test func `the gate decides on the units of devices`() async throws {
        try await TestServer.with({ $0.capabilities[0].promotesAutomatically = true }) { server in
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            try await server.order("advance")
            let clean = { Reports.report(Self.shadow, epoch: 1, $0, Reports.windows("comparisons", ["match"])) }
            let upgrade = try #require(try server.plane.parts.upgrades["orders"])
            for post in Reports.inPosts(500, clean) { try await server.report(post) }
            #expect(await upgrade.engine?.decide()?.verdict == .hold)
            for post in Reports.inPosts(2_500, clean) { try await server.report(post) }
            #expect(await upgrade.engine?.decide()?.verdict == .promote)
            let stage = try #require(try server.plane.parts.hub.stage(of: "orders"))
            #expect(stage.stage == .canary(share: 2000))
            #expect(stage.baseline?.units == FailureCounts(0, of: 1_200))

            let failing = Reports.windows("candidate", ["failed"], settled: false)
            try await server.report([
                Reports.report(stage.stage, epoch: 2, 0..<100, failing),
                Reports.report(stage.stage, epoch: 2, 100..<500, Reports.windows("legacy")),
            ])
            #expect(await upgrade.engine?.decide()?.verdict == .rollBack)
            let back = try #require(try server.plane.parts.hub.stage(of: "orders"))
            #expect(back.stage == .legacyOnly)
            #expect(back.attempt == 2)
            let audit = try await upgrade.store.history(of: "orders", last: 10).map(\.request.action.name)
            #expect(audit == ["retreat", "promote", "advance"])
        }
    }

    @Test func `a person promotes only with the gate's approval`() async throws {
        try await TestServer.with { server in
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            try await server.order("advance")
            let early = try await server.order("promote")
            #expect(early.status == 409)
            #expect(early.code == "otherVerdict")
            #expect(early.message == "the gate says hold, not promote")
            #expect(try early.json(TestServer.Problem.self).error.reasons?.isEmpty == false)
            let clean = { Reports.report(Self.shadow, epoch: 1, $0, Reports.windows("comparisons", ["match"])) }
            for post in Reports.inPosts(2_500, clean) { try await server.report(post) }
            #expect(try await server.order("promote").status == 200)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.stage == .canary(share: 2000))
        }
    }

    @Test func `builds with one side each count separately, and a unit stays in its first one`() async throws {
        try await TestServer.with({ $0.capabilities = [HostedCapability("orders", plan: .arms)] }) { server in
            try await server.order("advance")
            try await server.order("advance")
            func report(_ build: String, _ side: String, _ units: Range<Int>, _ marks: [String]) -> EvidenceReport {
                var report = Reports.report(.arms, epoch: 2, units, Reports.windows(side, marks))
                (report.build, report.side) = (build, side)
                return report
            }
            for _ in 0..<2 {
                try await server.report([report("1.0", "legacy", 0..<10, [])])
                try await server.report([report("2.0", "candidate", 10..<20, ["failed"])])
                try await server.report([report("2.0", "candidate", 0..<3, ["failed"])])
            }
            let arms = try #require(try await server.reading().arms)
            #expect(arms.map(\.build) == ["1.0", "2.0"])
            #expect(arms.map(\.units) == [FailureCounts(0, of: 10), FailureCounts(10, of: 10)])
            #expect(arms.map(\.crossed) == [0, 3])
            for number in 0..<20 {
                let other = report("3.\(number)", "candidate", 100 + number..<101 + number, [])
                #expect(try await server.report([other]).status == 200)
            }
            #expect(try await server.reading().arms?.count == EvidenceIntake.maxBuilds)
        }
    }

    @Test func `names from devices are bounded`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            for start in stride(from: 0, to: 300, by: 50) {
                let windows = (start..<start + 50).map { number in
                    EvidenceReport.Window(
                        tally: "candidate",
                        operation: "operation \(number)",
                        marks: ["answer=kind\(number)"],
                        isSettled: true
                    )
                }
                #expect(
                    try await server.report([Reports.report(Self.shadow, epoch: 1, 0..<1, windows)]).status == 200
                )
            }
            let metrics = try await server.reading().metrics
            let operations = Set(metrics.keys.compactMap(\.operation))
            #expect(operations.count == 63)
            let kinds = metrics.keys.filter { $0.rawValue.hasPrefix("candidateAnswers.") }
            #expect(kinds.count == 20, "one of them for all others")
        }
    }
}
#endif
