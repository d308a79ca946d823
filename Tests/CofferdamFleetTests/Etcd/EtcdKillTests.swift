#if Fleet
import Cofferdam
import CofferdamFleet
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport

/// A kill in a real etcd, while Prometheus is slow to give the evidence.
@Suite(.needsEtcd, .timeLimit(.minutes(5)))
struct EtcdKillTests {
    @Test func `every connected instance obeys a kill while Prometheus does not answer`() async throws {
        let (plan, clock) = (try Readings.plan(), TestClock())
        // The system accepts the connection, but no answer comes.
        let silent = try LoopbackSocket()
        try await EtcdServer.with { server in
            let person = server.store()
            for id in ["1", "2"] {
                let step = Requests.request(.advance(despiteGate: true), id: id)
                _ = try await person.carryOut(step, for: "catalogue", plan: plan)
            }
            let controls = (0..<8).map { _ in StageControl() }
            let asked = Log<Void>()
            var work: [Task<Void, any Error>] = []
            defer { for task in work { task.cancel() } }
            for control in controls {
                let store = server.store { $0.watchLimit = .seconds(600) }
                let prometheus = PrometheusEvidence(
                    endpoint: "http://127.0.0.1:\(silent.port)",
                    // The client that also asks etcd.
                    client: server.client,
                    job: "shop",
                    instances: ["a"]
                )
                let engine = UpgradeEngine(
                    "catalogue",
                    plan: plan,
                    store: store,
                    control: control,
                    recorder: EvidenceRecorder()
                ) {
                    $0.clock = clock
                    $0.watching = store
                    $0.evidence = CountedEvidenceSource(source: prometheus, asked: asked)
                }
                #expect(await engine.start().stage == .canary(share: 500))
                work.append(Task { try await engine.run() })
            }
            await clock.waitForSleepers(6 * controls.count)
            clock.advance(by: .seconds(5))
            try await eventually("all ask for evidence") { asked.entries.count == controls.count }
            var slowest = Duration.zero
            for (number, target) in [KillSwitch.Target.legacy, .candidate, .freeze, .legacy].enumerated() {
                let thrown = ContinuousClock.now
                try await server.put("/apps/shop/catalogue/kill", #"{"target":"\#(target)","seq":\#(number + 1)}"#)
                // The engines' clock stands still: none of them polls.
                try await eventually("all obey \(target)") { controls.allSatisfy { $0.state.kill?.target == target } }
                slowest = max(slowest, thrown.duration(to: .now))
            }
            print("4 kills in a real etcd, obeyed by \(controls.count) instances within \(slowest) at the most")
        }
    }
}

/// Counts how often it is asked.
private struct CountedEvidenceSource: EvidenceSource {
    let source: PrometheusEvidence
    let asked: Log<Void>

    func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        asked.add(())
        return try await source.reading(of: state, afterSeconds: seconds)
    }
}
#endif
