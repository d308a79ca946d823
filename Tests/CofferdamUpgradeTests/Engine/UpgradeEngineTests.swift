import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

@Suite struct UpgradeEngineTests {
    private let bench: EngineBench
    init() throws { bench = try EngineBench() }

    @Test func `what breaks after every unit was counted sends the upgrade back`() async throws {
        let bench = try EngineBench()
        try await bench.raise(to: .candidateWithFallback)
        let recorder = EvidenceRecorder(clock: bench.clock, now: { bench.now })
        let log = MemoryEvidenceLog()
        let engine = bench.engine(recorder: recorder) {
            $0.ledger = MemoryLedger()
            $0.log = log
        }
        await engine.start()
        let state = bench.control.state
        func visit(fails: Bool) async {
            for unit in 0..<10 {
                recorder.called(
                    RoutedCall(
                        capability: EngineBench.capability,
                        operation: "o",
                        stage: state.stage,
                        epoch: state.epoch,
                        hour: bench.now / 3_600_000,
                        unit: "unit \(unit)",
                        side: .candidate,
                        role: .first,
                        outcome: fails ? .failed(.failed, kind: "500") : .answered,
                        duration: .zero
                    )
                )
            }
            await engine.save()
        }
        await visit(fails: false)
        #expect(await engine.decide()?.verdict == .hold)
        await engine.note()
        for _ in 0..<2 {
            bench.pass(.seconds(7_200))
            await visit(fails: true)
        }
        let decision = try #require(await engine.decide())
        // Their windows ended long ago.
        #expect(decision.reading.metrics[.candidateFailures] == FailureCounts(0, of: 10))
        #expect(decision.verdict == .rollBack)
        #expect(decision.reasons.map(\.code) == [.alarm])
        #expect(engine.status.stage < .candidateWithFallback)
        let kept = await log.snapshots(of: EngineBench.capability, epoch: nil, last: 9)
        #expect(kept.map { $0.reading.hours == nil } == [true, false], "the log keeps visits only if the alarm rings")
    }

    @Test func `it follows what is stored`() async throws {
        let engine = bench.engine()
        #expect(await engine.start().stage == .legacyOnly)
        try await bench.raise(to: .canary(share: 500))
        #expect(bench.control.state.stage == .legacyOnly, "the store was not read yet")
        let status = await engine.refresh()
        #expect(status.stage == .canary(share: 500))
        #expect(status.canPromote)
        #expect(status.notes == [])
        #expect(bench.control.state.epoch == status.stored?.epoch)
        try await bench.change(.kill(.legacy))
        #expect(await engine.refresh().stage == .legacyOnly)
        #expect(bench.observed.stages == [.canary(share: 500), .legacyOnly])
    }

    @Test func `working, it asks the store each five seconds`() async throws {
        let engine = bench.engine { $0.settings.saveInterval = .seconds(5) }
        await engine.start()
        try await bench.raise(to: .shadow(sample: .all))
        let work = Task { try await engine.run() }
        while bench.clock.sleeperCount == 0 { await Task.yield() }
        bench.pass(.seconds(5))
        while bench.control.state.stage == .legacyOnly { await Task.yield() }
        #expect(engine.status.stage == .shadow(sample: .all))
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test func `an observer of the routes' stage may ask for the engine's status`() async throws {
        let engine = bench.engine()
        await engine.start()
        let seen = Log<Stage>()
        let watching = bench.control.watch {
            let answered = DispatchSemaphore(value: 0)
            // Asks from another thread: on this one, a lock that is already held would crash the process.
            Thread {
                seen.add(engine.status.stage)
                answered.signal()
            }.start()
            #expect(answered.wait(timeout: .now() + 5) == .success)
        }
        try await bench.raise(to: .shadow(sample: .all))
        await engine.refresh()
        #expect(seen.entries == [.shadow(sample: .all)])
        watching.cancel()
    }

    @TaskLocal private static var tenant = "none"

    @Test func `what a change sets off does not run as the person who requested it`() async throws {
        let engine = bench.engine()
        try await bench.raise(to: .candidateOnly)
        await engine.start()
        let seen = Log<String>()
        let watching = bench.control.watch { seen.add(Self.tenant) }
        _ = try await Self.$tenant.withValue("amara") { try await engine.abort(by: "amara", reason: "a test") }
        watching.cancel()
        #expect(Set(seen.entries) == ["none"])
    }

    // MARK: The gate

    @Test func `the gate's verdict is carried out where units come from many devices`() async throws {
        let engine = bench.engine {
            $0.settings.promotesAutomatically = true
            $0.evidence = EngineBench.FixedEvidence { _ in }
        }
        try await bench.raise(to: .shadow(sample: .all))
        await engine.start()
        let decision = try #require(await engine.decide())
        #expect(decision.verdict == .promote)
        #expect(bench.control.state.stage == .canary(share: 500))
        let line = try #require(try await bench.store.history(of: EngineBench.capability, last: 1).first)
        #expect(line.request.by == "gate")
        #expect(line.request.action == .promote(decision))
    }

    @Test func `a single device raises nothing by itself, and says so`() async throws {
        let engine = bench.engine { $0.evidence = EngineBench.FixedEvidence { _ in } }
        try await bench.raise(to: .shadow(sample: .all))
        await engine.start()
        #expect(await engine.decide()?.verdict == .promote)
        #expect(bench.control.state.stage == .shadow(sample: .all))
        #expect(
            bench.observed.outcomes == [
                .leftToPerson("the units of one device are too few to raise the stage")
            ]
        )
    }

    @Test func `a bad candidate goes back at once, and then waits for a person`() async throws {
        let engine = bench.engine {
            $0.settings.promotesAutomatically = true
            $0.evidence = EngineBench.FixedEvidence {
                $0.metrics[Metric.mismatches.includingOpenWindows] = FailureCounts(200, of: 1_000)
            }
        }
        try await bench.raise(to: .shadow(sample: .all))
        await engine.start()
        #expect(await engine.decide()?.verdict == .rollBack)
        #expect(bench.control.state.stage == .legacyOnly)
        #expect(engine.status.stored?.waiting == .rolledBack)
        #expect(engine.status.stored?.attempt == 2)
        await engine.decide()
        #expect(bench.observed.outcomes.last == .held)
    }

    @Test func `an undecided upgrade asks once, and then waits for a person`() async throws {
        let engine = bench.engine {
            $0.settings.promotesAutomatically = true
            $0.evidence = EngineBench.FixedEvidence {
                $0.metrics[.comparison] = FailureCounts(0, of: 100)
                $0.seconds = 15 * 24 * 3_600
            }
        }
        try await bench.raise(to: .shadow(sample: .all))
        await engine.start()
        #expect(await engine.decide()?.verdict == .undecided)
        #expect(engine.status.stored?.waiting == .undecided)
        await engine.decide()
        #expect(bench.observed.outcomes.last == .leftToPerson("the upgrade is already undecided"))
        #expect(try await bench.store.history(of: EngineBench.capability, last: 9).count == 2)
    }

    @Test func `under a kill switch that moves all users nothing is decided`() async throws {
        let engine = bench.engine { $0.evidence = EngineBench.FixedEvidence { _ in } }
        try await bench.raise(to: .shadow(sample: .all))
        try await bench.change(.kill(.legacy))
        await engine.start()
        #expect(await engine.decide() == nil)
    }

    @Test func `a bad candidate goes back even where the store is out of reach`() async throws {
        let engine = bench.engine {
            $0.evidence = EngineBench.FixedEvidence {
                $0.metrics[Metric.mismatches.includingOpenWindows] = FailureCounts(200, of: 1_000)
            }
        }
        try await bench.raise(to: .shadow(sample: .all))
        await engine.start()
        bench.store.set(.unavailable)
        await engine.decide()
        #expect(bench.observed.outcomes == [.requestedHere])
        #expect(bench.control.state.stage == .legacyOnly)
        bench.store.set(nil)
        #expect(await engine.refresh().pendingRequests == [])
        #expect(try await bench.store.read(EngineBench.capability)?.state.stage == .legacyOnly)
    }

    // MARK: People's orders in this process

    @Test func `an abort takes effect here at once, and everywhere when the store is reachable`() async throws {
        let engine = bench.engine()
        try await bench.raise(to: .candidateWithFallback)
        await engine.start()
        bench.store.set(.unavailable)
        let status = try await engine.abort(by: "amara", reason: "users complain")
        #expect(status.stage == .legacyOnly)
        #expect(status.pendingRequests.map(\.action) == [.abort])
        #expect(!status.canPromote)
        #expect(await engine.decide() == nil, "what is not known for certain is not judged")
        bench.store.set(nil)
        #expect(await engine.refresh().pendingRequests == [])
        let line = try #require(try await bench.store.history(of: EngineBench.capability, last: 1).first)
        #expect(line.request.by == "amara")
    }

    @Test func `an abort whose answer was lost is not carried out twice`() async throws {
        let engine = bench.engine()
        try await bench.raise(to: .candidateWithFallback)
        await engine.start()
        bench.store.set(.losesAnswers)
        #expect(try await engine.abort(by: "amara", reason: "users complain").pendingRequests.count == 1)
        bench.store.set(nil)
        try await bench.change(.advance(despiteGate: true))
        let status = await engine.refresh()
        #expect(status.pendingRequests == [])
        #expect(status.stage == .shadow(sample: .all), "a person has raised it since, who knew of the abort")
    }

    @Test func `an abort is not repeated where a later epoch is already there`() async throws {
        let engine = bench.engine()
        try await bench.raise(to: .candidateWithFallback)
        await engine.start()
        bench.store.set(.unavailable)
        try await engine.abort(by: "amara", reason: "users complain")
        try await bench.change(.abort)
        bench.store.set(nil)
        let status = await engine.refresh()
        #expect(status.pendingRequests == [])
        #expect(status.stored?.attempt == 2, "gone back once")
    }

    @Test func `a kill switch takes effect here at once`() async throws {
        let engine = bench.engine()
        try await bench.raise(to: .canary(share: 500))
        await engine.start()
        bench.store.set(.unavailable)
        #expect(try await engine.kill(.candidate, by: "amara", reason: "V1 is down").stage == .candidateOnly)
        bench.store.set(nil)
        await engine.refresh()
        #expect(try await bench.store.read(EngineBench.capability)?.kill?.by == "amara")
    }

    @Test func `a request that cannot be carried out throws its refusal`() async throws {
        let engine = bench.engine()
        await engine.start()
        let error = await #expect(throws: UpgradeRefusal.self) { try await engine.abort(by: "amara", reason: "?") }
        #expect(error?.code == .alreadyThere)
        let nameless = await #expect(throws: UpgradeRefusal.self) { try await engine.abort(by: "", reason: "?") }
        #expect(nameless?.code == .incomplete)
        #expect(engine.status.pendingRequests == [])
    }

    // MARK: Unreachable stores

    @Test(arguments: [
        (Stage.shadow(sample: .all), 299, Stage.shadow(sample: .all), true),
        (.shadow(sample: .all), 301, .shadow(sample: .all), false),
        (.shadow(sample: .all), 3_599, .shadow(sample: .all), false),
        (.shadow(sample: .all), 3_601, .legacyOnly, false),
        (.canary(share: 500), 3_601, .legacyOnly, false),
        (.candidateWithFallback, 86_400, .candidateWithFallback, false),
        (.candidateShadowed(sample: 1000), 86_400, .candidateShadowed(sample: 1000), false),
        (.candidateOnly, 86_400, .candidateOnly, false),
    ])
    func `out of touch for long, nothing rises, and early stages end`(
        stage: Stage,
        seconds: Int,
        follows: Stage,
        canPromote: Bool
    ) async throws {
        let engine = bench.engine {
            $0.settings.promotesAutomatically = true
            $0.evidence = EngineBench.FixedEvidence { _ in }
        }
        try await bench.raise(to: stage)
        await engine.start()
        bench.store.set(.unavailable)
        bench.pass(.seconds(seconds))
        let status = await engine.refresh()
        #expect(status.stage == follows)
        #expect(status.canPromote == canPromote)
        #expect(status.ageSeconds == seconds)
        #expect(status.notes.contains { $0.contains("the test says so") })
        bench.store.set(nil)
        #expect(await engine.refresh().stage == stage, "in touch again")
    }

    @Test func `out of touch, a promotion is refused for that reason`() async throws {
        let engine = bench.engine {
            $0.settings.promotesAutomatically = true
            $0.evidence = EngineBench.FixedEvidence { _ in }
        }
        try await bench.raise(to: .shadow(sample: .all))
        await engine.start()
        bench.pass(.seconds(301))
        await engine.decide()
        guard case .refused(let refusal) = bench.observed.outcomes.last else { return #expect(Bool(false)) }
        #expect(refusal.code == .outOfTouch)
        #expect(bench.control.state.stage == .shadow(sample: .all))
    }

    @Test func `a store that was never read leaves all units at legacyOnly`() async throws {
        try await bench.raise(to: .candidateOnly)
        bench.store.set(.unavailable)
        let status = await bench.engine().start()
        #expect(status.stage == .legacyOnly)
        #expect(status.ageSeconds == nil)
        #expect(!status.canPromote)
    }

    @Test func `a store that was set back is not followed, and says so until it is back`() async throws {
        let engine = bench.engine { $0.evidence = EngineBench.FixedEvidence { _ in } }
        try await bench.raise(to: .shadow(sample: .all))
        let old = try await bench.store.read(EngineBench.capability)
        try await bench.raise(to: .canary(share: 500))
        await engine.start()
        for answer in [old, nil] {
            bench.store.set(.answers(answer))
            let status = await engine.refresh()
            #expect(status.isSetBack)
            #expect(status.stage == .canary(share: 500))
            #expect(!status.canPromote)
            #expect(await engine.decide()?.verdict == .promote)
            guard case .refused(let refusal) = bench.observed.outcomes.last else {
                Issue.record("\(bench.observed.outcomes)")
                continue
            }
            #expect(refusal.code == .outOfTouch)
        }
        bench.store.set(nil)
        #expect(await engine.refresh().isSetBack == false)
    }

    @Test func `another state with the same revision means that the store was set back`() async throws {
        let engine = bench.engine()
        try await bench.raise(to: .shadow(sample: .all))
        await engine.start()
        var other = try #require(try await bench.store.read(EngineBench.capability))
        other.state.stage = .candidateOnly
        bench.store.set(.answers(other))
        #expect(await engine.refresh().isSetBack)
        #expect(bench.control.state.stage == .shadow(sample: .all))
    }
}
