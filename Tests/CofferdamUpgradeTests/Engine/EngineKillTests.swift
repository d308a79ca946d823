import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import TestSupport
import Testing

/// A kill takes effect within one second of the engine's clock, however long everything else takes.
@Suite(.timeLimit(.minutes(1))) struct EngineKillTests {
    private let bench: EngineBench
    private let memory = KillableMemory()
    init() throws { bench = try EngineBench() }

    /// Works at `candidateWithFallback` while `body` runs.
    private func working(
        _ change: (inout UpgradeEngine.Options) -> Void = { _ in },
        _ body: (UpgradeEngine) async throws -> Void
    ) async throws {
        try await bench.raise(to: .candidateWithFallback)
        let engine = bench.engine {
            $0.memory = memory
            change(&$0)
        }
        await engine.start()
        #expect(bench.control.state.stage() == .candidateWithFallback)
        let work = Task { try await engine.run() }
        await bench.clock.waitForSleepers()
        try await body(engine)
        work.cancel()
        bench.store.release()
        memory.release()
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    /// Waits for one second and no more.
    private func expectObeyed(_ target: KillSwitch.Target = .legacy) async {
        bench.pass(.seconds(1))
        await until { bench.control.state.kill?.target == target }
    }

    @Test func `while the evidence is being read, and the decision that comes later is refused`() async throws {
        let evidence = HeldEvidence {
            $0.metrics[Metric.candidateFailures.includingOpenWindows] = FailureCounts(900, of: 1_000)
        }
        try await working({ $0.evidence = evidence }) { engine in
            bench.pass(.seconds(5))
            await until { evidence.gate.arrivals == 1 }
            memory.kill = KillSwitch(.candidate, by: "amara", reason: "V1 is down")
            await expectObeyed(.candidate)
            #expect(bench.observed.outcomes.isEmpty, "the evidence is still being read")
            evidence.gate.open()
            await until { !bench.observed.outcomes.isEmpty }
            guard case .refused(let refusal) = bench.observed.outcomes.first else {
                Issue.record("\(bench.observed.outcomes)")
                return
            }
            #expect(refusal.code == .frozen)
            let stored = try await bench.store.memory.read(EngineBench.capability)
            #expect(stored?.state.stage == .candidateWithFallback)
        }
    }

    @Test func `while the evidence is being read, also when the kill is in the store`() async throws {
        let evidence = HeldEvidence { _ in }
        try await working({
            $0.evidence = evidence
            $0.settings.promotesAutomatically = true
        }) { _ in
            bench.pass(.seconds(5))
            await until { evidence.gate.arrivals == 1 }
            try await bench.change(.kill(.legacy))
            bench.pass(.seconds(5))
            await until { bench.control.state.kill?.target == .legacy }
            evidence.gate.open()
            await until { !bench.observed.outcomes.isEmpty }
            guard case .refused(let refusal) = bench.observed.outcomes.first else {
                Issue.record("\(bench.observed.outcomes)")
                return
            }
            #expect(refusal.code == .frozen)
        }
    }

    @Test func `while the store does not answer`() async throws {
        try await working { _ in
            bench.store.set(.hangs)
            bench.pass(.seconds(5))
            await until { bench.store.hanging == 1 }
            memory.kill = KillSwitch(.legacy, by: "amara", reason: "users complain")
            await expectObeyed()
        }
    }

    @Test func `while the store does not carry out what was requested`() async throws {
        try await working { engine in
            bench.store.set(.hangsCommitting)
            let order = Task { try await engine.abort(by: "kenji", reason: "users complain") }
            await until { bench.store.hanging == 1 }
            #expect(bench.control.state.stage() == .legacyOnly, "an order of this process holds at once")
            memory.kill = KillSwitch(.candidate, by: "amara", reason: "V1 is down")
            await expectObeyed(.candidate)
            bench.store.release()
            _ = try await order.value
        }
    }

    @Test func `while what was seen is being written down`() async throws {
        try await working { _ in
            memory.holdsWrites = true
            try await bench.change(.override(operation: "o", stage: .legacyOnly))
            bench.pass(.seconds(5))
            await until { memory.held == 1 }
            memory.kill = KillSwitch(.legacy, by: "amara", reason: "users complain")
            await expectObeyed()
            try await bench.change(.kill(.candidate))
            memory.kill = nil
            // All repeated tasks sleep until their next turn.
            await bench.clock.waitForSleepers(6)
            bench.pass(.seconds(5))
            await until { bench.control.state.kill?.target == .candidate }
        }
    }

    @Test func `while what was counted is being saved`() async throws {
        let evidence = HeldLedger()
        try await working({ $0.ledger = evidence }) { engine in
            evidence.holds = true
            bench.count(unit: "u", in: engine)
            bench.pass(.seconds(1))
            await until { evidence.gate.arrivals == 1 }
            memory.kill = KillSwitch(.legacy, by: "amara", reason: "users complain")
            await expectObeyed()
            evidence.gate.open()
        }
    }

    @Test func `while the previous process's evidence is being read at the start`() async throws {
        try await bench.raise(to: .candidateWithFallback)
        let evidence = HeldLedger()
        evidence.holdsReading = true
        let engine = bench.engine {
            $0.memory = memory
            $0.ledger = evidence
        }
        await engine.startFollowing()
        let start = Task { await engine.start() }
        await until { evidence.gate.arrivals == 1 }
        memory.kill = KillSwitch(.legacy, by: "amara", reason: "users complain")
        await bench.clock.waitForSleepers()
        await expectObeyed()
        memory.kill = nil
        try await bench.change(.kill(.candidate))
        bench.pass(.seconds(5))
        await until { bench.control.state.kill?.target == .candidate }
        evidence.gate.open()
        _ = await start.value
    }

    @Test func `while what was counted is being saved at the start`() async throws {
        try await bench.raise(to: .candidateWithFallback)
        let evidence = HeldLedger()
        evidence.holds = true
        let engine = bench.engine {
            $0.memory = memory
            $0.ledger = evidence
        }
        let start = Task { await engine.start() }
        await until { evidence.gate.arrivals == 1 }
        memory.kill = KillSwitch(.legacy, by: "amara", reason: "users complain")
        await expectObeyed()
        evidence.gate.open()
        _ = await start.value
    }

    @Test func `before the store has answered for the first time`() async throws {
        bench.store.set(.hangs)
        let engine = bench.engine { $0.memory = memory }
        memory.kill = KillSwitch(.candidate, by: "amara", reason: "V1 is down")
        let start = Task { await engine.start() }
        await until { bench.control.state.kill?.target == .candidate }
        memory.kill = KillSwitch(.legacy, by: "amara", reason: "so is V2")
        await bench.clock.waitForSleepers()
        await expectObeyed()
        bench.store.release()
        _ = await start.value
    }

    @Test func `what is counted is saved each second, while the evidence is being read`() async throws {
        let (evidence, store) = (HeldEvidence { _ in }, HeldLedger())
        try await working({ ($0.evidence, $0.ledger) = (evidence, store) }) { engine in
            bench.pass(.seconds(5))
            await until { evidence.gate.arrivals == 1 }
            for number in 1...3 {
                let before = store.savings
                bench.count(unit: "u\(number)", in: engine)
                bench.pass(.seconds(1))
                await until { store.savings > before }
            }
            evidence.gate.open()
        }
    }

    @Test func `out of touch for long, an early stage ends even where the store never answers again`() async throws {
        try await bench.raise(to: .canary(share: 500))
        let engine = bench.engine()
        await engine.start()
        let work = Task { try await engine.run() }
        await bench.clock.waitForSleepers()
        bench.store.set(.hangs)
        bench.pass(.seconds(3_601))
        await until { bench.control.state.stage == .legacyOnly }
        work.cancel()
        bench.store.release()
        await #expect(throws: CancellationError.self) { try await work.value }
    }
}
