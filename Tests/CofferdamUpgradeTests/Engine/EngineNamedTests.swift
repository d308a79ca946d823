import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport
import UpgradeTestSupport

/// An engine follows the list of named units as it follows the stage.
@Suite struct EngineNamedTests {
    private let bench: EngineBench
    init() throws { bench = try EngineBench() }

    private func session(_ unit: String = "ada") throws -> UnitSession {
        UnitSession(unit: unit, control: bench.control, bucketing: try Bucketing(salt: EngineBench.capability))
    }

    @Test func `working, it follows a changed list live, in the same epoch`() async throws {
        let engine = bench.engine { $0.settings.saveInterval = .seconds(5) }
        await engine.start()
        let (early, epoch) = (try session(), bench.control.state.epoch)
        #expect(early.side == .legacy)
        let work = Task { try await engine.run() }
        while bench.clock.sleeperCount == 0 { await Task.yield() }
        try await bench.change(.allow(units: ["ada"]))
        bench.pass(.seconds(5))
        while bench.control.state.named.isEmpty { await Task.yield() }
        #expect(early.side == .legacy)
        #expect(early.cutOver())
        #expect(early.side == .candidate)
        #expect(try session().side == .candidate)
        #expect(try session("ben").side == .legacy)
        try await bench.change(.disallow(units: ["ada"]))
        bench.pass(.seconds(5))
        while !bench.control.state.named.isEmpty { await Task.yield() }
        #expect(early.side == .legacy)
        #expect(bench.control.state.epoch == epoch)
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test func `they move to the candidate only after the earlier counts were resumed, and leave it at once`()
        async throws
    {
        try await bench.change(.allow(units: ["ada", "ben"]))
        let evidence = HeldLedger()
        evidence.holdsReading = true
        let engine = bench.engine { $0.ledger = evidence }
        await engine.startFollowing()
        #expect(bench.control.state.named == ["ada", "ben"])
        let start = Task { await engine.start() }
        await until { evidence.gate.arrivals == 1 }
        await bench.clock.waitForSleepers()
        try await bench.change(.disallow(units: ["ben"]))
        bench.pass(.seconds(5))
        await until { bench.control.state.named == ["ada"] }
        try await bench.change(.allow(units: ["cleo"]))
        await bench.clock.waitForSleepers()
        bench.pass(.seconds(5))
        await until { engine.status.stored?.named.units == ["ada", "cleo"] }
        await bench.clock.waitForSleepers()
        #expect(bench.control.state.named == ["ada"])
        evidence.gate.open()
        _ = await start.value
        #expect(bench.control.state.named == ["ada", "cleo"])
    }

    @Test func `an abort here sends them back at once, even if no other unit uses the candidate`() async throws {
        let engine = bench.engine()
        try await bench.change(.allow(units: ["ada"]))
        await engine.start()
        #expect(try session().side == .candidate)
        bench.store.set(.unavailable)
        _ = try? await engine.abort(by: "amara", reason: "it crashes")
        #expect(try session().side == .legacy)
        bench.store.set(nil)
        await engine.refresh()
        #expect(try await bench.store.read(EngineBench.capability)?.state.named.isHeldBack == true)
        #expect(try session().side == .legacy)
        try await bench.change(.allow(units: ["ada"]))
        await engine.refresh()
        #expect(try session().side == .candidate)
    }

    @Test func `a rollback by the gate takes them back`() async throws {
        let engine = bench.engine {
            $0.evidence = EngineBench.FixedEvidence { $0.metrics[.canaryFailures] = FailureCounts(50, of: 50) }
        }
        try await bench.change(.allow(units: ["ada"]))
        try await bench.raise(to: .canary(share: 500))
        await engine.start()
        #expect(try session().side == .candidate)
        #expect(await engine.decide()?.verdict == .rollBack)
        #expect(try session().side == .legacy)
    }

    @Test func `after an hour without contact the list is not trusted`() async throws {
        let engine = bench.engine()
        try await bench.change(.allow(units: ["ada"]))
        await engine.start()
        bench.store.set(.unavailable)
        bench.pass(.seconds(3_600))
        await engine.refresh()
        #expect(try session().side == .candidate)
        bench.pass(.seconds(1))
        await engine.refresh()
        #expect(try session().side == .legacy)
        #expect(bench.control.state.named == ["ada"], "it counts apart all the same")
        bench.store.set(nil)
        await engine.refresh()
        #expect(try session().side == .candidate)
    }

    @Test func `crashes of named units alone abort before the candidate is opened again`() async throws {
        try await UpgradeFolder.with { folder in
            try await bench.change(.allow(units: ["ada"]))
            let path = folder.path + "/calls"
            for _ in 0..<3 {
                var file: InFlightFile? = try InFlightFile(path: path, now: bench.now)
                file?.enter(epoch: 0)
                file?.began(CandidateCall(.named, isUnitsOnlyCall: true))
                file?.abandon()
                file = nil
            }
            let calls = try InFlightFile(path: path, now: bench.now)
            #expect(calls.crash?.namedCalls == 1)
            let recorder = EvidenceRecorder()
            let engine = bench.engine(recorder: recorder) { $0.calls = calls }
            await engine.start()
            #expect(try session().side == .legacy)
            #expect(try await bench.store.read(EngineBench.capability)?.state.named.isHeldBack == true)
            let metrics = recorder.reading(afterSeconds: 1).metrics
            #expect(metrics[.candidateFailures] == FailureCounts.none)
            #expect(metrics[.namedFailures] == FailureCounts(1, of: 1))
        }
    }
}
