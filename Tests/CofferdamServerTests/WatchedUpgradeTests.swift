#if Server
import Cofferdam
import CofferdamCurl
import CofferdamTesting
import CofferdamUpgrade
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("An upgrade that the process runs itself", .timeLimit(.minutes(1))) struct WatchedUpgradeTests {
    private struct NoEvidence: EvidenceSource {
        func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
            GateReading(stage: state.stage, epoch: state.epoch, seconds: seconds, metrics: [:])
        }
    }

    /// Counts one more unit whenever the test asks for it.
    private final class GrowingEvidence: EvidenceSource {
        private let units = Mutex(0)

        func grow() { units.withLock { $0 += 1 } }

        func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
            let counts = FailureCounts(0, of: units.withLock { $0 })
            return GateReading(
                stage: state.stage,
                epoch: state.epoch,
                seconds: seconds,
                metrics: [.comparison: counts]
            )
        }
    }

    private static func with(
        evidence: any EvidenceSource = NoEvidence(),
        _ body: (TestServer, MemoryUpgradeStore, UpgradePlan) async throws -> Void
    ) async throws {
        let store = MemoryUpgradeStore()
        let plan = try UpgradePlan.named(.small)
        try await TestServer.with({ configuration in
            configuration.capabilities = []
            configuration.watched = [
                WatchedUpgrade("orders", planName: "a try", plan: plan, store: store, evidence: evidence)
            ]
        }) { try await body($0, store, plan) }
    }

    @Test func `a person's order goes to its store`() async throws {
        try await Self.with { server, store, _ in
            #expect(try await server.order("advance").status == 200)
            #expect(try await store.read("orders")?.state.stage == .shadow(sample: .all))
            #expect(try await store.history(of: "orders", last: 9).map(\.request.by) == ["operator"])
            let status = try await server.get("/v1/capabilities/orders")
            #expect(status.text.contains("a try"))
        }
    }

    @Test func `the process's changes reach waiting devices`() async throws {
        try await Self.with { server, store, plan in
            let path = "/v1/capabilities/orders/stage"
            let tag = try #require(try await server.get(path, as: .device).headers[.eTag])
            async let poll = server.get(path + "?wait=59", as: .device, headers: [.ifNoneMatch: tag])
            await server.clock.waitForSleeper(until: .seconds(59))
            let request = UpgradeRequest(.advance(despiteGate: true), by: "rehearsal", reason: "a test", at: 1, id: "1")
            _ = try await store.carryOut(request, for: "orders", plan: plan)
            // The store is read again after its interval.
            await server.clock.waitForSleeper(until: WatchService.interval)
            server.clock.advance(by: WatchService.interval)
            #expect(try await poll.text.contains("shadow(10000)"))
        }
    }

    @Test func `an open page is notified of evidence that the process counts`() async throws {
        let evidence = GrowingEvidence()
        try await Self.with(evidence: evidence) { server, _, _ in
            try await server.order("advance")
            let stream = try await server.live()
            var heard: [String] = []
            for try await line in stream.body.lines() {
                let line = String(decoding: line, as: UTF8.self)
                guard line.hasPrefix("data: ") else { continue }
                heard.append(line.contains("evidence") ? "evidence" : "stage")
                if heard.last == "stage" {
                    evidence.grow()
                    await server.clock.waitForSleeper(until: WatchService.interval)
                    server.clock.advance(by: WatchService.interval)
                } else {
                    await server.stop()
                }
            }
            #expect(heard == ["stage", "evidence"])
        }
    }

    @Test func `no evidence is posted for it`() async throws {
        try await Self.with { server, _, _ in
            let answer = try await server.report([Reports.baseline(0..<1)])
            #expect(answer.status == 409)
            #expect(answer.code == "notPosted")
        }
    }

    @Test func `names are unique among all upgrades`() throws {
        var configuration = ControlPlaneConfiguration(
            database: "",
            tokens: try AccessTokens([]),
            capabilities: [HostedCapability("orders")]
        )
        let plan = try UpgradePlan.named(.small)
        let watched = WatchedUpgrade(
            "orders",
            planName: "",
            plan: plan,
            store: MemoryUpgradeStore(),
            evidence: NoEvidence()
        )
        configuration.watched = [watched]
        let error = #expect(throws: ControlPlaneError.self) { try configuration.check() }
        #expect("\(error as Any)".contains("two capabilities have the same name"))
    }
}
#endif
