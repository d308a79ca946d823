#if Fleet
import Cofferdam
import CofferdamFleet
import CofferdamTesting
import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@Suite(.needsEtcd, .timeLimit(.minutes(5)))
struct EtcdPartitionTests {
    private let plan: UpgradePlan
    private let clock = TestClock()
    private let control = StageControl()

    init() throws { plan = try Readings.plan() }

    private func engine(_ store: EtcdUpgradeStore) -> UpgradeEngine {
        UpgradeEngine("catalogue", plan: plan, store: store, control: control, recorder: EvidenceRecorder()) {
            $0.clock = clock
            $0.watching = store
        }
    }

    private func raise(_ store: EtcdUpgradeStore, to stage: Stage) async throws {
        while try await store.read("catalogue")?.state.stage != stage {
            let request = Requests.request(.advance(despiteGate: true), id: UpgradeEngine.randomID())
            _ = try await store.carryOut(request, for: "catalogue", plan: plan)
        }
    }

    @Test func `a kill switch takes effect through the watch, before anyone asks`() async throws {
        try await EtcdServer.with { server in
            // No watch restarts during the test.
            let store = server.store { $0.watchLimit = .seconds(600) }
            try await raise(store, to: .canary(share: 500))
            let engine = engine(store)
            #expect(await engine.start().stage == .canary(share: 500))
            // The engine's clock stands still: it does not poll.
            let work = Task { try await engine.run() }
            defer { work.cancel() }
            try await server.put("/apps/shop/catalogue/kill", #"{"target":"legacy","by":"amara","reason":"smoke"}"#)
            try await eventually("the kill switch acts") { control.state.stage() == .legacyOnly }
            #expect(engine.status.kill == KillSwitch(.legacy, by: "amara", reason: "smoke"))
            try await server.put("/apps/shop/catalogue/kill", #"{"target":"candidate","seq":2}"#)
            try await eventually("the next one acts") { control.state.stage() == .candidateOnly }
        }
    }

    @Test(
        arguments: [(.canary(share: 500), .legacyOnly), (.candidateWithFallback, .candidateWithFallback)]
            as [(Stage, Stage)]
    )
    func `during a partition an instance acts by the age of its state, shows it, and may go back`(
        stage: Stage,
        afterAnHour: Stage
    ) async throws {
        try await EtcdServer.with { server in
            try await raise(server.store(), to: stage)
            let engine = engine(server.store { $0.timeout = .milliseconds(500) })
            await engine.start()
            try await eventually("the stage is read") { await engine.refresh().stage == stage }
            try await server.suspend()
            clock.advance(by: .seconds(60))
            var status = await engine.refresh()
            #expect(status.stage == stage)
            #expect(status.ageSeconds == 60)
            #expect(status.canPromote)
            #expect(status.notes.contains { $0.contains("/apps/shop/catalogue/state: etcd: \(server.endpoint)") })
            clock.advance(by: .seconds(241))
            status = await engine.refresh()
            #expect(status.stage == stage)
            #expect(!status.canPromote)
            #expect(status.notes.contains("out of touch with the store for 301 s: no further step is taken"))
            clock.advance(by: .seconds(3_600))
            status = await engine.refresh()
            #expect(status.stage == afterAnHour)
            #expect(status.ageSeconds == 3_901)
            status = try await engine.abort(by: "amara", reason: "no answer")
            #expect(status.stage == .legacyOnly)
            #expect(status.pendingRequests.count == 1)
            server.resume()
            try await eventually("the order is carried out") { await engine.refresh().notes == [] }
            status = engine.status
            #expect(status.pendingRequests == [])
            #expect(status.ageSeconds == 0)
            let lines = try await server.store().history(of: "catalogue", last: 2)
            #expect(lines.map(\.request.reason) == ["no answer", "a test"])
            #expect(lines.first?.after.stage == .legacyOnly)
        }
    }
}
#endif
