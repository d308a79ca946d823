import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import TestSupport
import Testing
import UpgradeTestSupport

/// A stop is in force at once, and stays, whatever becomes of the store, the plan and the evidence.
@Suite(.timeLimit(.minutes(1))) struct EngineStopTests {
    private static let canary = Stage.canary(share: 500)
    private let bench: EngineBench
    init() throws { bench = try EngineBench() }

    /// Evidence of a candidate that fails for everybody.
    private static let failing = EngineBench.FixedEvidence { reading in
        reading.metrics[.canaryFailures] = FailureCounts(400, of: 400)
        reading.metrics[Metric.mismatches.includingOpenWindows] = FailureCounts(400, of: 400)
    }

    // MARK: The store

    /// What becomes of a store under a running engine.
    enum Loss: CaseIterable { case emptied, older }

    @Test(arguments: Loss.allCases) func `a kill holds after the store was replaced, and until a newer state is there`(
        loss: Loss
    ) async throws {
        try await bench.raise(to: Self.canary)
        let engine = bench.engine()
        await engine.start()
        #expect(bench.control.state.stage() == Self.canary)
        let other = MemoryUpgradeStore()
        bench.store.replace(with: other)
        if loss != .emptied { try await bench.change(.advance(despiteGate: true)) }
        let status = try await engine.kill(.legacy, by: "amara", reason: "users complain")
        #expect(status.kill?.target == .legacy)
        #expect(status.isSetBack)
        #expect(status.pendingRequests.map(\.by) == ["amara"])
        #expect(status.notes.contains { $0.contains("older state") })
        for _ in 0..<3 {
            await engine.refresh()
            #expect(bench.control.state.stage() == .legacyOnly)
        }
        // The store has the kill too, for those who follow it.
        #expect(try await other.read(EngineBench.capability)?.kill?.target == .legacy)
        while try await other.read(EngineBench.capability)?.revision ?? 0 < 9 {
            try await bench.change(.kill(.freeze))
        }
        let later = await engine.refresh()
        #expect(later.pendingRequests == [])
        #expect(later.kill?.target == .freeze)
        #expect(bench.control.state.stage() == .legacyOnly)
    }

    @Test func `an answer that arrives after a newer state was read does not mean that the store was set back`()
        async throws
    {
        try await bench.raise(to: Self.canary)
        let engine = bench.engine()
        await engine.start()
        bench.store.set(.hangsAnswering)
        let stop = Task { try await engine.kill(.legacy, by: "amara", reason: "users complain") }
        await until { bench.store.hanging == 1 }
        bench.store.set(nil)
        // Another process changes something, and this one reads it.
        try await bench.change(.kill(.freeze))
        _ = await engine.look()
        bench.store.release()
        let status = try await stop.value
        #expect(!status.isSetBack)
        #expect(status.pendingRequests == [])
        #expect(status.kill?.target == .freeze)
    }

    @Test func `an abort and the gate's own step down hold where the store forgot the stage`() async throws {
        for isGate in [true, false] {
            let bench = try EngineBench()
            try await bench.raise(to: Self.canary)
            let engine = bench.engine { if isGate { $0.evidence = Self.failing } }
            await engine.start()
            bench.store.replace(with: MemoryUpgradeStore())
            await engine.refresh()
            if isGate {
                await engine.decide()
                #expect(bench.observed.outcomes.last == .requestedHere)
            } else {
                try await engine.abort(by: "amara", reason: "users complain")
            }
            await engine.refresh()
            #expect(engine.status.pendingRequests.count == 1)
            #expect(bench.control.state.stage() == .legacyOnly)
        }
    }

    @Test func `the gate's own step down does not wait for a store that hangs`() async throws {
        try await bench.raise(to: Self.canary)
        let engine = bench.engine { $0.evidence = Self.failing }
        await engine.start()
        bench.store.set(.hangsCommitting)
        let deciding = Task { await engine.decide() }
        await until { bench.store.hanging == 1 && bench.clock.sleeperCount == 1 }
        bench.clock.advance(by: .seconds(2))
        #expect(await deciding.value?.verdict == .rollBack)
        #expect(bench.control.state.stage == .legacyOnly)
        #expect(engine.status.pendingRequests.count == 1)
        bench.store.release()
        await until { (try? await bench.store.read(EngineBench.capability))?.state.stage == .legacyOnly }
        #expect(await engine.refresh().pendingRequests == [])
        #expect(try await bench.store.read(EngineBench.capability)?.state.attempt == 2, "it went back once")
    }

    @Test func `a step down that was decided while the store was away belongs to that attempt`() async throws {
        let engine = bench.engine { $0.evidence = Self.failing }
        try await bench.raise(to: Self.canary)
        await engine.start()
        bench.store.set(.unavailable)
        await engine.decide()
        #expect(bench.control.state.stage == .legacyOnly)
        // Three weeks later, somebody has gone back and begun again.
        try await bench.change(.abort)
        try await bench.raise(to: .candidateOnly)
        bench.store.set(nil)
        let status = await engine.refresh()
        #expect(status.stage == .candidateOnly)
        #expect(status.pendingRequests == [])
        #expect(status.notes.contains { $0.contains("was meant for attempt 1; it is now attempt 2") })
    }

    // MARK: The plan and the evidence

    @Test func `at a stage that this build's plan does not have, a bad candidate goes back`() async throws {
        let other = try UpgradePlan([.legacyOnly, .canary(share: 700), .candidateOnly])
        let request = Requests.request(.advance(despiteGate: true), id: "1")
        _ = try await bench.store.memory.carryOut(request, for: EngineBench.capability, plan: other)
        let engine = bench.engine {
            $0.evidence = Self.failing
            $0.settings.promotesAutomatically = true
        }
        await engine.start()
        #expect(engine.status.notes.count == 1)
        #expect(engine.status.notes.first?.hasPrefix("the upgrade follows the plan that it began with") == true)
        #expect(await engine.decide()?.verdict == .rollBack)
        #expect(bench.control.state.stage == .legacyOnly)
        #expect(try await bench.store.read(EngineBench.capability)?.state.stage == .legacyOnly)
    }

    @Test func `in an attempt that cannot promote any more, a bad candidate goes back`() async throws {
        let plan = try Readings.plan { $0.horizon = 15_000 }
        for _ in 0...(try #require(plan.lastPromotingAttempt)) {
            try await bench.raise(to: Self.canary)
            try await bench.change(.abort)
        }
        try await bench.raise(to: Self.canary)
        let engine = UpgradeEngine(
            EngineBench.capability,
            plan: plan,
            store: bench.store,
            control: bench.control,
            recorder: EvidenceRecorder()
        ) { $0.evidence = Self.failing }
        await engine.start()
        #expect(await engine.decide()?.verdict == .rollBack)
        #expect(bench.control.state.stage == .legacyOnly)
    }

    @Test func `while the stage is frozen, the gate does not move it, and says what it would do`() async throws {
        try await bench.raise(to: Self.canary)
        try await bench.change(.kill(.freeze))
        let engine = bench.engine { $0.evidence = Self.failing }
        await engine.start()
        #expect(await engine.decide()?.verdict == .rollBack)
        #expect(bench.control.state.stage == Self.canary)
        #expect(engine.status.verdict == .rollBack)
        let note = try #require(engine.status.notes.first)
        #expect(note.hasPrefix("the gate would take V2 back, but amara stopped the upgrade where it is: "))
        #expect(try await engine.abort(by: "kenji", reason: "the gate is right").stage == .legacyOnly)
    }

    @Test func `counts that are not complete suffice to go back, and never to promote`() async throws {
        for (isBad, stage) in [(true, Stage.legacyOnly), (false, Self.canary)] {
            let bench = try EngineBench()
            try await bench.raise(to: Self.canary)
            let engine = bench.engine {
                $0.settings.promotesAutomatically = true
                $0.evidence = EngineBench.FixedEvidence { reading in
                    reading.isIncomplete = true
                    if isBad { reading.metrics[.canaryFailures] = FailureCounts(400, of: 400) }
                }
            }
            await engine.start()
            await engine.decide()
            #expect(bench.control.state.stage == stage)
        }
    }

    // MARK: The answer to a stop

    private func request(_ action: UpgradeAction, id: String = "incident-7") -> UpgradeRequest {
        UpgradeRequest(action, by: "amara", reason: "users complain", at: bench.now, id: id)
    }

    @Test func `the answer does not wait for a store that hangs, and says that it is not stored`() async throws {
        try await bench.raise(to: Self.canary)
        let served = Served()
        let engine = bench.engine { $0.served = { served.append($0) } }
        await engine.start()
        bench.store.set(.hangs)
        let stop = Task { try await engine.stop(request(.kill(.legacy)), waiting: .seconds(1)) }
        await bench.clock.waitForSleepers()
        bench.clock.advance(by: .milliseconds(250))
        await until { served.last?.kill?.target == .legacy }
        await bench.clock.waitForSleepers()
        bench.clock.advance(by: .milliseconds(750))
        let stopped = try await stop.value
        #expect(stopped.whyNotStored == "the store has not answered yet")
        #expect(stopped.entry.after.kill == .legacy)
        #expect(stopped.entry.request.id == "incident-7")
        bench.store.release()
        await engine.refresh()
        #expect(try await bench.store.read(EngineBench.capability)?.kill?.target == .legacy)
        #expect(served.last?.revision == (try await bench.store.read(EngineBench.capability)?.revision))
    }

    @Test func `a stop that is sent again is made once, and its id belongs to it`() async throws {
        try await bench.raise(to: Self.canary)
        let engine = bench.engine()
        await engine.start()
        bench.store.set(.unavailable)
        for _ in 0..<3 {
            let stopped = try await engine.stop(request(.kill(.legacy)), waiting: .seconds(1))
            #expect(stopped.whyNotStored == "the store: the test says so")
        }
        #expect(engine.status.pendingRequests.count == 1)
        await #expect {
            try await engine.stop(request(.abort), waiting: .seconds(1))
        } throws: {
            ($0 as? UpgradeRefusal)?.code == .keyUsed
        }
        bench.store.set(nil)
        #expect(try await engine.stop(request(.kill(.legacy)), waiting: .seconds(1)).whyNotStored == nil)
        #expect(try await bench.store.read(EngineBench.capability)?.kill?.seq == 1)
        // Somebody resumes, and the request arrives once more, at another process.
        try await bench.change(.resume)
        let other = bench.engine()
        await other.start()
        #expect(try await other.stop(request(.kill(.legacy)), waiting: .seconds(1)).whyNotStored == nil)
        #expect(bench.control.state.kill == nil)
    }

    @Test func `what there is to stop is known from the store if it is not known here`() async throws {
        try await bench.change(.advance(despiteGate: true))
        let engine = bench.engine()
        await engine.start()
        try await bench.change(.abort)
        await engine.refresh()
        try await bench.raise(to: Self.canary)
        let stopped = try await engine.stop(request(.abort), waiting: .seconds(1))
        #expect(stopped.entry.before.stage == Self.canary)
        #expect(bench.control.state.stage == .legacyOnly)
        await #expect {
            try await engine.stop(request(.abort, id: "2"), waiting: .seconds(1))
        } throws: {
            ($0 as? UpgradeRefusal)?.code == .alreadyThere
        }
    }

    /// The states that were served.
    private final class Served: Sendable {
        private let all = Mutex<[StoredUpgrade?]>([])
        var last: StoredUpgrade? { all.withLock { $0.last ?? nil } }
        func append(_ stored: StoredUpgrade?) { all.withLock { $0.append(stored) } }
    }
}
