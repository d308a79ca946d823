import Cofferdam
import CofferdamTesting
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// While the evidence store fails, the unsaved counts are bounded, and the process forgets nothing that it has counted.
@Suite struct UnsavedBoundTests {
    private static let stage = Stage.candidateWithFallback
    private let stored = Requests.stored(at: stage) { $0.state.epoch = 3 }.state
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
        let changes = recorder.takeChanges()
        defer { recorder.restore(changes) }
        return changes.windows.values.reduce(0) { $0 + $1.count }
    }

    /// Fails to save, as an engine does while the store fails.
    private func fail(_ recorder: EvidenceRecorder) { recorder.restore(recorder.takeChanges()) }

    private func save(_ recorder: EvidenceRecorder, _ store: MemoryEvidenceStore) async {
        let changes = recorder.takeChanges()
        recorder.adopt(await store.save(changes, of: "a"), after: changes)
    }

    /// Each unit has two windows: the operation's, and one for all operations.
    @Test(arguments: [1, 7, 250])
    func `a store that fails leaves no more to be saved than is allowed, and no failure is forgotten`(
        step: Int
    ) throws {
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<1_000 {
            call(unit, recorder)
            if unit % step == 0 { fail(recorder) }
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

    @Test func `a store that hangs leaves no more either`() {
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<90 { call(unit, recorder) }
        let taken = recorder.takeChanges()
        for unit in 90..<180 { call(unit, recorder) }
        #expect(isKept(recorder) == true)
        recorder.restore(taken)
        #expect(isKept(recorder) == false)
        #expect(waiting(recorder) == 0)
        #expect(count(recorder) == FailureCounts(18, of: 180))
    }

    @Test func `named units' windows are among those that wait`() {
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<101 { call(unit, recorder, isNamed: true) }
        #expect(isKept(recorder) == false)
        #expect(recorder.reading(afterSeconds: 1).metrics[.namedFailures] == FailureCounts(11, of: 101))
    }

    @Test func `when the store is back, nothing is forgotten here, and it records that it lacks units`() async {
        let store = MemoryEvidenceStore()
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<50 { call(unit, recorder) }
        await save(recorder, store)
        for unit in 50..<500 {
            call(unit, recorder)
            fail(recorder)
        }
        #expect(!recorder.takeChanges().isEmpty, "the loss must be reported")
        await save(recorder, store)
        #expect(count(recorder) == FailureCounts(50, of: 500))
        #expect(recorder.takeChanges().isEmpty)
        for unit in 500..<510 { call(unit, recorder) }
        await save(recorder, store)
        #expect(count(recorder) == FailureCounts(51, of: 510))
        #expect(isKept(recorder) == false)

        // The next process knows less, and is aware of that.
        let next = self.recorder(maxUnsaved: 200)
        next.resume(await store.saved(of: "a", under: next.key(of: Self.stage)), at: stored)
        #expect(isKept(next) == false)
        #expect(count(next) == FailureCounts(5, of: 50))
        call(1_000, next)
        await save(next, store)
        #expect(count(next) == FailureCounts(6, of: 51), "what it counts is saved")
        #expect(isKept(next) == false)
    }

    @Test func `another process of the same store learns of the loss`() async {
        let store = MemoryEvidenceStore()
        let (one, other) = (recorder(maxUnsaved: 200), recorder(maxUnsaved: 200))
        for unit in 0..<101 { call(unit, one) }
        await save(one, store)
        #expect(isKept(other) == true)
        call(1_000, other)
        await save(other, store)
        #expect(isKept(other) == false)
    }

    @Test func `in the next epoch units are kept again`() async {
        let store = MemoryEvidenceStore()
        let recorder = recorder(maxUnsaved: 200)
        for unit in 0..<101 { call(unit, recorder) }
        await save(recorder, store)
        #expect(isKept(recorder) == false)
        for unit in 0..<60 { call(unit, recorder, epoch: 4) }
        #expect(isKept(recorder) == true)
        #expect(waiting(recorder) == 120)
        await save(recorder, store)
        #expect(isKept(recorder) == true)
    }
}
