#if Server
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("A stranger with the app's token") struct StrangerTests {
    private struct Receipt: Decodable, Equatable {
        var counted: Int
        var dropped: Int
        var outdated: Int
    }

    /// A unit's windows of those operations.
    private static func windows(_ operations: [String], _ marks: [String] = []) -> [EvidenceReport.Window] {
        operations.map { .init(tally: "candidate", operation: $0, marks: marks, isSettled: true) }
            + [.init(tally: "candidate", operation: nil, marks: marks, isSettled: true)]
    }

    private static let invented = (0..<63).map { "invented-\($0)" }
    private static let canary = Stage.canary(share: 2000)

    /// A server at a canary whose baseline knows the operation "place".
    private static func atCanary(_ server: TestServer) async throws {
        for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
        try await server.order("advance")
        try await server.order("advance")
    }

    @Test func `invented operations do not take the place of those that users call`() async throws {
        try await TestServer.with { server in
            try await Self.atCanary(server)
            let stranger = Reports.report(Self.canary, epoch: 2, 0..<1, Self.windows(Self.invented))
            #expect(try await server.report([stranger]).json() == Receipt(counted: 1, dropped: 0, outdated: 0))
            let failing = Reports.report(Self.canary, epoch: 2, 1..<10, Self.windows(["place"], ["failed"]))
            try await server.report([failing])
            let reading = try await server.reading()
            #expect(reading.metrics[.candidateFailures.of("place")] == FailureCounts(9, of: 9))
            #expect(reading.metrics[.candidateFailures] == FailureCounts(9, of: 10))
            #expect(reading.metrics.keys.allSatisfy { !($0.operation ?? "").hasPrefix("invented") })
            #expect(reading.isIncomplete == true)
            let status = try await server.status()
            #expect(
                status.gate.gaps.first?.hasPrefix("1 units called operations that this server does not know")
                    == true
            )
            #expect(try await server.get("/capabilities/orders").text.contains("1 units called operations"))
        }
    }

    @Test func `counts of unknown operations keep the gate from a promotion, not from going back`() async throws {
        for isBad in [false, true] {
            try await TestServer.with({ $0.capabilities[0].promotesAutomatically = true }) { server in
                for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
                try await server.order("advance")
                let outcome = isBad ? "mismatch" : "match"
                let compared = {
                    Reports.report(.shadow(sample: .all), epoch: 1, $0, Reports.windows("comparisons", [outcome]))
                }
                for post in Reports.inPosts(2_500, compared) { try await server.report(post) }
                let odd = [
                    EvidenceReport.Window(tally: "comparisons", operation: "odd", marks: ["match"], isSettled: true)
                ]
                try await server.report([Reports.report(.shadow(sample: .all), epoch: 1, 9_000..<9_001, odd)])
                let upgrade = try #require(try server.plane.parts.upgrades["orders"])
                #expect(await upgrade.engine?.decide()?.verdict == (isBad ? .rollBack : .hold))
            }
        }
    }

    @Test func `the team's own list of operations counts from the first unit on`() async throws {
        try await TestServer.with({ $0.capabilities[0].operations = ["place", "rare"] }) { server in
            let stranger = Reports.report(
                .legacyOnly,
                epoch: 0,
                0..<1,
                Self.invented.map { .init(tally: "legacy", operation: $0, marks: [], isSettled: true) }
            )
            try await server.report([stranger])
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            try await server.order("advance")
            let baseline = try #require(try server.plane.parts.hub.stage(of: "orders")?.baseline)
            #expect(baseline.operations["place"]?.units.total == 1_200)
            #expect(baseline.operations.keys.allSatisfy { !$0.hasPrefix("invented") })
        }
    }

    @Test func `breakers of invented operations are dropped, and one operation's do not displace another's`()
        async throws
    {
        try await TestServer.with { server in
            try await Self.atCanary(server)
            let flood = Self.invented.map { Reports.breaker(1, open: true, $0) }
            let answer = try await server.report([Reports.breakers(Self.canary, epoch: 2, device: 7, flood)])
            #expect(try answer.json() == Receipt(counted: 0, dropped: 63, outdated: 0))
            let real = Reports.breakers(Self.canary, epoch: 2, device: 8, [Reports.breaker(1, open: true)])
            #expect(try await server.report([real]).json() == Receipt(counted: 0, dropped: 0, outdated: 0))
            #expect(try await server.status().breakers?.map(\.operation) == ["place"])
            #expect(try await server.get("/metrics").text.contains("cofferdam_dropped_total 63\n"))
        }
    }

    @Test func `builds that the team did not name count nowhere, and the receipt says so`() async throws {
        try await TestServer.with({
            $0.capabilities = [HostedCapability("orders", plan: .arms)]
            $0.capabilities[0].builds = ["1.0": .legacy, "2.0": .candidate]
        }) { server in
            try await server.order("advance")
            try await server.order("advance")
            func report(_ build: String, _ side: String, _ units: Range<Int>) -> EvidenceReport {
                var report = Reports.report(.arms, epoch: 2, units, Reports.windows(side))
                (report.build, report.side) = (build, side)
                return report
            }
            for number in 0..<8 {
                let fake = report("fake\(number)", "candidate", number * 10..<number * 10 + 5)
                #expect(try await server.report([fake]).json() == Receipt(counted: 0, dropped: 5, outdated: 0))
            }
            let wrongSide = report("2.0", "legacy", 100..<101)
            #expect(try await server.report([wrongSide]).json() == Receipt(counted: 0, dropped: 1, outdated: 0))
            let real = report("2.0", "candidate", 200..<220)
            #expect(try await server.report([real]).json() == Receipt(counted: 20, dropped: 0, outdated: 0))
            #expect(try await server.reading().arms?.map(\.build) == ["2.0"])
        }
    }

    @Test func `without a list, the builds after the eighth are dropped, and the receipt says so`() async throws {
        try await TestServer.with({ $0.capabilities = [HostedCapability("orders", plan: .arms)] }) { server in
            try await server.order("advance")
            try await server.order("advance")
            for number in 0..<9 {
                var report = Reports.report(.arms, epoch: 2, number..<number + 1, Reports.windows("candidate"))
                (report.build, report.side) = ("\(number)", "candidate")
                let isKept = number < EvidenceIntake.maxBuilds
                let expected = Receipt(counted: isKept ? 1 : 0, dropped: isKept ? 0 : 1, outdated: 0)
                #expect(try await server.report([report]).json() == expected)
            }
        }
    }

    @Test func `an override of an operation that nobody calls is refused, unless a person insists`() async throws {
        try await TestServer.with { server in
            try await Self.atCanary(server)
            func override(_ name: String, _ more: String = "") async throws -> TestServer.Answer {
                try await server.order(
                    "override",
                    #""reason": "a test", "stage": "legacyOnly", "operation": "\#(name)""# + more
                )
            }
            let typo = try await override("plcae")
            #expect(typo.status == 409)
            #expect(typo.code == "unknownOperation")
            #expect(typo.message?.contains("there are place") == true)
            #expect(try await override("place").status == 200)
            for number in 0..<62 {
                #expect(try await override("odd-\(number)", #", "unknown": true"#).status == 200)
            }
            #expect(try await override("odd-63", #", "unknown": true"#).status == 409)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.overrides?.count == 63)
        }
    }
}
#endif
