#if Fleet
import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@testable import CofferdamFleet

/// Checks that a fleet agrees on how long a stage has lasted, whatever the clocks of its hosts say.
@Suite struct EtcdTimeTests {
    private static let date = 1_800_000_000
    private static let days: Int64 = 14 * 86_400

    private struct Evidence: EvidenceSource {
        func reading(of state: UpgradeState, afterSeconds seconds: Int) async -> GateReading {
            Readings.good(at: state.stage) { reading in
                (reading.epoch, reading.seconds) = (state.epoch, seconds)
                reading.metrics[.candidateFailures] = FailureCounts(0, of: 10)
            }
        }
    }

    @Test(arguments: [-days, 0, days])
    func `steps and ages are by etcd's time, and a host whose clock is off says so`(off: Int64) async throws {
        let clock = TestClock()
        let etcd = FakeEtcd(clock: clock, date: Self.date)
        let (plan, host) = (try Readings.plan(), etcd.store())
        for id in ["1", "2"] {
            let request = Requests.request(.advance(despiteGate: true), id: id, at: (Int64(Self.date) - off) * 1_000)
            _ = try await host.carryOut(request, for: "catalogue", plan: plan)
        }
        #expect(try await host.read("catalogue")?.state.since == Int64(Self.date))
        #expect(try await host.history(of: "catalogue", last: 1).first?.request.at == Int64(Self.date) * 1_000)
        clock.advance(by: .seconds(3_600))
        let engine = UpgradeEngine(
            "catalogue",
            plan: plan,
            store: etcd.store(),
            control: StageControl(),
            recorder: EvidenceRecorder(clock: clock)
        ) { options in
            options.clock = clock
            options.evidence = Evidence()
            options.now = { (Int64(Self.date) + off) * 1_000 + clock.now.offset.components.seconds * 1_000 }
        }
        await engine.start()
        let decision = try #require(await engine.decide())
        #expect((decision.verdict, decision.reading.seconds) == (.hold, 3_600))
        let notes = engine.status.notes.filter { $0.contains("clock") }
        #expect(notes == (off == 0 ? [] : ["this host's clock is 14 d \(off < 0 ? "behind" : "ahead of") the store's"]))
    }
}
#endif
