import Cofferdam
import CofferdamTesting
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// While the evidence store fails, the unsaved counts are bounded, and the process forgets nothing that it has counted.
@Suite struct UnsavedBoundTests {
    private static let stage = Stage.candidateWithFallback
    private let stored = Requests.stored(at: stage) { ($0.state.capability, $0.state.epoch) = ("a", 3) }.state
    private let clock = TestClock()

    private func recorder(maxUnsaved: Int) -> EvidenceRecorder {
        let recorder = EvidenceRecorder(
            StageState(stage: Self.stage, epoch: 3),
            maxUnsaved: maxUnsaved,
            clock: clock,
            now: { [clock] in Int64(clock.now.offset / .milliseconds(1)) }
        )
        recorder.keep()
        return recorder
    }

    private func call(_ unit: Int, _ recorder: EvidenceRecorder, epoch: Int = 3, isNamed: Bool = false) {
        recorder.called(
            RoutedCall(
                capability: "a",
                operation: "o",
                stage: Self.stage,
                epoch: epoch,
                unit: "u\(unit)",
                isNamed: isNamed,
                side: .candidate,
                role: .first,
                outcome: unit % 10 == 0 ? .failed(.failed, kind: "k") : .answered,
                duration: .milliseconds(1)
            )
        )
    }

    private func count(_ recorder: EvidenceRecorder) -> FailureCounts? {
        recorder.reading(afterSeconds: 1).metrics[.candidateFailures.includingOpenWindows]
    }

    private func isKept(_ recorder: EvidenceRecorder) -> Bool? { recorder.reading(afterSeconds: 1).isKept }

    private func waiting(_ recorder: EvidenceRecorder) -> Int {
        recorder.state.withLock { $0.evidence.windows.rowCount }
    }

    /// Fails to save, as an engine does while the ledger fails.
    private func fail(_ recorder: EvidenceRecorder) async {
        await #expect(throws: UpgradeStoreError.self) { try await recorder.merge(into: HeldLedger(), of: "a") }
    }

    private func save(_ recorder: EvidenceRecorder, _ ledger: MemoryLedger) async throws {
        try await recorder.merge(into: ledger, of: "a")
    }

    /// Each unit has two windows: the operation's, and one for all operations.
    @Test(arguments: [1, 7, 250])
    func `a store that fails leaves no more to be saved than is allowed, and no failure is forgotten`(
        step: Int
    ) async throws {
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<1_000 {
            call(unit, recorder)
            if unit % step == 0 { await fail(recorder) }
            #expect(waiting(recorder) <= 200)
            #expect(isKept(recorder) == (unit < 100), "unit \(unit)")
        }
        #expect(count(recorder) == FailureCounts(100, of: 1_000))
        let decision = try Readings.plan().gate(at: Self.stage).decide(
            Readings.good(at: Self.stage) { $0.isKept = isKept(recorder) }
        )
        #expect(decision.verdict == .undecided)
        #expect(decision.reasons.map(\.code) == [.unitsNotKept])
    }

    @Test func `a store that hangs leaves no more either, and what is on its way counts`() async throws {
        let (recorder, held) = (recorder(maxUnsaved: 200), HeldLedger())
        held.holds = true
        for unit in 0..<90 { call(unit, recorder) }
        let merge = Task { try await recorder.merge(into: held, of: "a") }
        while held.gate.arrivals == 0 { await Task.yield() }
        for unit in 90..<100 { call(unit, recorder) }
        #expect(isKept(recorder) == true)
        for unit in 100..<180 { call(unit, recorder) }
        #expect(isKept(recorder) == false)
        #expect(waiting(recorder) == 0)
        held.gate.open()
        await #expect(throws: UpgradeStoreError.self) { try await merge.value }
        #expect(count(recorder) == FailureCounts(18, of: 180))
    }

    @Test func `named units' windows are among those that wait`() {
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<101 { call(unit, recorder, isNamed: true) }
        #expect(isKept(recorder) == false)
        #expect(recorder.reading(afterSeconds: 1).metrics[.namedFailures] == FailureCounts(11, of: 101))
    }

    @Test func `when the store is back, nothing is forgotten here, and it records that it lacks units`() async throws {
        let store = MemoryLedger()
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<50 { call(unit, recorder) }
        try await save(recorder, store)
        for unit in 50..<500 {
            call(unit, recorder)
            await fail(recorder)
        }
        #expect(recorder.isMergeDue, "the loss must be reported")
        try await save(recorder, store)
        #expect(count(recorder) == FailureCounts(50, of: 500))
        #expect(!recorder.isMergeDue)
        for unit in 500..<510 { call(unit, recorder) }
        try await save(recorder, store)
        #expect(count(recorder) == FailureCounts(51, of: 510))
        #expect(isKept(recorder) == false)

        // The next process knows less, and is aware of that.
        let next = self.recorder(maxUnsaved: 200)
        try await next.resume(from: store, at: stored)
        #expect(isKept(next) == false)
        #expect(count(next) == FailureCounts(5, of: 50))
        call(1_000, next)
        try await save(next, store)
        #expect(count(next) == FailureCounts(6, of: 51), "what it counts is saved")
        #expect(isKept(next) == false)
    }

    @Test func `another process of the same store learns of the loss`() async throws {
        let store = MemoryLedger()
        let (one, other) = (recorder(maxUnsaved: 200), recorder(maxUnsaved: 200))
        for unit in 0..<101 { call(unit, one) }
        try await save(one, store)
        #expect(isKept(other) == true)
        call(1_000, other)
        try await save(other, store)
        #expect(isKept(other) == false)
    }

    @Test func `in the next epoch units are kept again`() async throws {
        let store = MemoryLedger()
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<101 { call(unit, recorder) }
        try await save(recorder, store)
        #expect(isKept(recorder) == false)
        for unit in 0..<60 { call(unit, recorder, epoch: 4) }
        #expect(isKept(recorder) == true)
        #expect(waiting(recorder) == 120)
        try await save(recorder, store)
        #expect(isKept(recorder) == true)
    }
}
