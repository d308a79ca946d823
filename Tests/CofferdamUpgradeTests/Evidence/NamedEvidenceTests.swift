import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@testable import CofferdamGate

/// Checks that named units are in no gate's test, canary arm or baseline, and count under a separate name.
@Suite struct NamedEvidenceTests {
    private let clock = TestClock()

    private func recorder(at stage: Stage, minimum: Int = 10_000, breakers: Breakers? = nil) -> EvidenceRecorder {
        EvidenceRecorder(
            StageState(stage: stage, epoch: 3),
            minimumBaselineCalls: minimum,
            breakers: breakers,
            clock: clock,
            now: { 9_000 }
        )
    }

    private func call(
        _ unit: String,
        at stage: Stage,
        _ recorder: EvidenceRecorder,
        of operation: String = "placeOrder",
        on side: Side = .candidate,
        isNamed: Bool = true,
        answer: String? = nil,
        fails: Bool = false,
        took duration: Duration? = .milliseconds(1)
    ) {
        recorder.called(
            RoutedCall(
                capability: "a",
                operation: operation,
                stage: stage,
                epoch: 3,
                unit: unit,
                isNamed: isNamed,
                side: side,
                role: .first,
                outcome: fails ? .failed(.failed, kind: "broken") : .answered,
                answer: answer,
                duration: duration
            )
        )
    }

    /// Everything that a gate could read.
    private func read(_ recorder: EvidenceRecorder) -> GateReading {
        var reading = recorder.reading(afterSeconds: 3_600)
        reading.metrics = reading.metrics.filter { !$0.key.countsNamedUnits }
        return reading
    }

    @Test(arguments: Readings.stages)
    func `10,000 of them change nothing that a gate reads, whatever becomes of their calls`(stage: Stage) throws {
        let (quiet, busy) = (recorder(at: stage), recorder(at: stage))
        for recorder in [quiet, busy] {
            for unit in 0..<40 {
                let side: Side = stage.side ?? (unit < 4 ? .candidate : .legacy)
                call("u\(unit)", at: stage, recorder, on: side, isNamed: false, answer: unit == 7 ? "notFound" : nil)
            }
        }
        for unit in 0..<10_000 {
            let side: Side = unit % 10 == 0 ? .legacy : .candidate
            call("n\(unit)", at: stage, busy, on: side, answer: unit % 3 == 0 ? "gone" : nil, fails: unit % 2 == 0)
            call("n\(unit)", at: stage, busy, of: "theirs alone", fails: true, took: .seconds(9))
        }
        clock.advance(by: .seconds(600))
        #expect(read(busy) == read(quiet))
        let gate = try Readings.plan().gate(at: stage)
        #expect(gate.decide(busy.reading(afterSeconds: 3_600)).verdict == gate.decide(read(quiet)).verdict)
        #expect(busy.baseline == quiet.baseline)
        let metrics = busy.reading(afterSeconds: 3_600).metrics
        #expect(metrics[.namedFailures] == FailureCounts(10_000, of: 10_000))
        #expect(metrics[.namedFailures.of("placeOrder")] == FailureCounts(4_000, of: 9_000))
        #expect(metrics[.namedAnswers("gone")] == FailureCounts(3_000, of: 10_000))
    }

    @Test func `10,000 clean ones promote nothing, and as many that fail send nothing back`() throws {
        let stage = Stage.canary(share: 500)
        let gate = try Readings.plan().gate(at: stage)
        for fails in [false, true] {
            let recorder = recorder(at: stage)
            for unit in 0..<10_000 { call("n\(unit)", at: stage, recorder, fails: fails) }
            clock.advance(by: .seconds(600))
            let decision = gate.decide(recorder.reading(afterSeconds: 3_600))
            #expect(decision.verdict == .hold)
            let named = NamedUnitCounts(decision.reading.metrics)
            #expect(named?.text == "10000 seen, \(fails ? "10000 failed at placeOrder" : "0 failed")")
            #expect(decision.explanation.contains("Named units, in no test: 10000 seen"))
        }
    }

    @Test func `a list that fails all its calls neither sends the upgrade back nor stops the others' counting`()
        async throws
    {
        let recorder = Mutex<EvidenceRecorder?>(nil)
        let settings = BreakerSettings.defaults { ($0.window, $0.minimumCalls, $0.trials) = (4, 4, 2) }
        let forward = Forward { recorder.withLock { $0 } }
        let upgrade = try ZooUpgrade(.canary(share: .none), breakers: settings, observer: forward)
        let counting = EvidenceRecorder(upgrade.control.state, breakers: upgrade.breakers, clock: upgrade.clock)
        recorder.withLock { $0 = counting }
        upgrade.name(["keeper"])
        upgrade.candidate.fail(.failed)
        for _ in 0..<3 {
            for _ in 0..<10 { try await upgrade.call(.read) }
            upgrade.clock.advance(by: .seconds(60))
        }
        #expect(upgrade.sides.count { $0 == "candidate" } > 4, "its own breaker has opened more than once")
        let reading = counting.reading(afterSeconds: 60)
        #expect(reading.breaker == BreakerHistory())
        let gate = try Readings.plan().gate(at: .canary(share: 500))
        var judged = reading
        judged.stage = .canary(share: 500)
        #expect(gate.decide(judged).verdict == .hold)
        #expect(reading.metrics[.canaryFailures] == FailureCounts.none)
        #expect(reading.metrics[.activeUnits] == FailureCounts.none)
        #expect(NamedUnitCounts(reading.metrics)?.text == "1 seen, 1 failed at animal")
    }

    private struct Forward: RouteObserver {
        let next: @Sendable () -> EvidenceRecorder?
        func called(_ call: RoutedCall) { next()?.called(call) }
        func compared(_ comparison: ShadowComparison) { next()?.compared(comparison) }
    }

    @Test func `the legacy side's baseline excludes named units`() {
        let recorder = recorder(at: .legacyOnly, minimum: 10)
        for unit in 0..<20 { call("u\(unit)", at: .legacyOnly, recorder, on: .legacy, isNamed: false) }
        for unit in 0..<20 {
            call("n\(unit)", at: .legacyOnly, recorder, on: .legacy, fails: true, took: .seconds(9))
            call("n\(unit)", at: .legacyOnly, recorder, of: "theirs alone", on: .legacy)
        }
        let baseline = recorder.baseline
        #expect(baseline?.units == FailureCounts(0, of: 20))
        #expect(baseline?.operations.keys.sorted() == ["placeOrder"])
        #expect(baseline.flatMap { $0.slowLimit(of: "placeOrder") }.map { $0 < .seconds(1) } == true)
    }

    @Test func `a unit counts once, and its window ends with its session`() {
        let recorder = recorder(at: .legacyOnly)
        for _ in 0..<20 { call("n", at: .legacyOnly, recorder, fails: true) }
        recorder.sessionEnded(of: "n")
        for _ in 0..<20 { call("n", at: .legacyOnly, recorder, answer: "gone") }
        let counts = NamedUnitCounts(recorder.reading(afterSeconds: 1).metrics)
        #expect(counts?.text == "1 seen, 1 failed at placeOrder")
    }

    @Test func `its text names the operations and answers, the most first`() throws {
        let metrics: [Metric: FailureCounts] = [
            .namedFailures: FailureCounts(3, of: 12), .namedFailures.of("placeOrder"): FailureCounts(3, of: 9),
            .namedFailures.of("animal"): FailureCounts(1, of: 12), .namedFailures.of("feed"): FailureCounts(0, of: 2),
            .namedAnswers("forbidden"): FailureCounts(2, of: 12), .namedAnswers("gone"): FailureCounts(5, of: 12),
        ]
        let counts = try #require(NamedUnitCounts(metrics))
        #expect(counts.text == "12 seen, 3 failed (placeOrder 3, animal 1); answers: gone 5, forbidden 2")
        #expect(NamedUnitCounts([:]) == nil)
    }

    @Test func `a gate cannot read their metrics`() {
        #expect(!Metric.written.contains(.namedFailures))
        #expect(Metric.namedFailures.of("o").isPartial && Metric.namedAnswers("gone").isPartial)
    }

    #if SQLite
    @Test func `they are there after a restart, and count once`() async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            var state = UpgradeState(capability: "a", since: 0)
            state.epoch = 3
            for run in 0..<2 {
                let recorder = recorder(at: .legacyOnly)
                try await recorder.resume(from: store.log, at: state)
                call("n1", at: .legacyOnly, recorder, answer: "gone", fails: true)
                call("n\(run + 2)", at: .legacyOnly, recorder, of: "animal")
                recorder.sessionEnded(of: "n1")
                try await recorder.merge(into: store.log, of: "a")
                let counts = NamedUnitCounts(recorder.reading(afterSeconds: 1).metrics)
                #expect(counts?.text == "\(run + 2) seen, 1 failed at placeOrder; answers: gone 1")
                #expect(read(recorder).metrics[.candidateFailures.of("placeOrder")] == nil)
            }
        }
    }
    #endif
}
