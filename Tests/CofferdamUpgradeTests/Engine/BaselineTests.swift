import Cofferdam
import CofferdamUpgrade
import Testing
import UpgradeTestSupport

/// The baseline of the legacy side belongs to the upgrade, not to a process.
@Suite struct BaselineTests {
    private let bench: EngineBench
    private let baseline = LegacyBaseline(
        units: FailureCounts(3, of: 20_000),
        operations: ["read": .init(units: FailureCounts(3, of: 20_000), slowNanoseconds: 9_000_000)]
    )

    init() throws { bench = try EngineBench() }

    private func recorder(_ store: (any EvidenceLedger)? = nil) -> EvidenceRecorder {
        EvidenceRecorder(minimumBaselineCalls: 100, clock: bench.clock, now: { [bench] in bench.now })
    }

    private func watch(_ recorder: EvidenceRecorder, _ units: Range<Int>) {
        for unit in units {
            recorder.called(
                RoutedCall(
                    capability: EngineBench.capability,
                    operation: "read",
                    stage: .legacyOnly,
                    epoch: 0,
                    unit: "u\(unit)",
                    side: .legacy,
                    role: .first,
                    outcome: unit == 0 ? .failed(.failed, kind: "k") : .answered,
                    duration: .milliseconds(2)
                )
            )
        }
    }

    @Test func `the step that ends legacyOnly freezes it, and it stays through all later stages`() throws {
        var stored = StoredUpgrade(state: UpgradeState(capability: "catalogue", since: 1))
        var request = Requests.request(.advance(), id: "1")
        request.baseline = baseline
        stored = try stored.applying(request, plan: bench.plan).after
        #expect(stored.state.baseline == baseline)
        stored = try stored.applying(Requests.request(.advance(despiteGate: true), id: "2"), plan: bench.plan).after
        #expect(stored.state.baseline == baseline)
        stored = try stored.applying(Requests.request(.abort, id: "3"), plan: bench.plan).after
        stored = try stored.applying(Requests.request(.advance(), id: "4"), plan: bench.plan).after
        #expect(stored.state.baseline == baseline, "what it did before is better than nothing")
    }

    @Test func `a process that starts after legacyOnly reads it in the state`() async throws {
        let watching = recorder()
        watch(watching, 0..<200)
        let first = bench.engine(recorder: watching)
        await first.start()
        try await bench.raise(to: .canary(share: 500))
        await first.refresh()
        let stored = try #require(try await bench.store.read(EngineBench.capability)).state
        #expect(stored.baseline?.units == FailureCounts(1, of: 200))
        #expect(stored.epoch == 3, "its gate is another one, and so a new epoch began")
        let late = recorder()
        await bench.engine(recorder: late).start()
        let metrics = late.reading(afterSeconds: 1).metrics
        #expect(metrics[.legacyFailures] == FailureCounts(1, of: 200))
        #expect(metrics[.legacyFailures.of("read")] == FailureCounts(1, of: 200))
        #expect(metrics[.candidateFailures.of("read")] == FailureCounts.none)
    }

    @Test func `what was watched is known after a restart, and the next process stores it as the baseline`()
        async throws
    {
        let kept = MemoryLedger()
        let watching = recorder()
        let first = bench.engine(recorder: watching) { $0.ledger = kept }
        await first.start()
        watch(watching, 0..<200)
        await first.save()
        try await bench.raise(to: .shadow(sample: .all))
        let next = recorder()
        let engine = bench.engine(recorder: next) { $0.ledger = kept }
        await engine.start()
        let slow = LatencyHistogram.rounded(2_000_000) + 5_000_000
        #expect(engine.status.stored?.baseline?.operations["read"]?.slowNanoseconds == slow)
        #expect(
            try await bench.store.history(of: EngineBench.capability, last: 1).first?.request.action.name == "measure"
        )
    }

    @Test func `a stored baseline stays, and another instance's is refused`() throws {
        let stored = Requests.stored(at: .canary(share: 500)) { $0.state.baseline = baseline }
        #expect(throws: UpgradeRefusal.self) {
            try stored.applying(Requests.request(.measure(baseline), id: "1"), plan: bench.plan)
        }
        let early = Requests.stored(at: .legacyOnly)
        #expect(throws: UpgradeRefusal.self) {
            try early.applying(Requests.request(.measure(baseline), id: "1"), plan: bench.plan)
        }
    }

    @Test func `without stored counts nothing is promoted automatically, and a person is asked`() async throws {
        let engine = bench.engine {
            $0.settings.promotesAutomatically = true
            $0.evidence = EngineBench.FixedEvidence { $0.isKept = false }
        }
        try await bench.raise(to: .candidateWithFallback)
        await engine.start()
        let decision = try #require(await engine.decide())
        #expect(decision.verdict == .undecided)
        #expect(decision.reasons.map(\.code) == [.unitsNotKept])
        #expect(engine.status.stored?.waiting == .undecided)
        // The log has the reason.
        _ = try await bench.change(.advance())
        #expect(try await bench.store.read(EngineBench.capability)?.state.stage == .candidateShadowed(sample: 1_000))
    }
}
