#if Fleet
import Cofferdam

@testable import CofferdamFleet
@testable import CofferdamUpgrade

/// An instance of a build with one side, which keeps its counts in its own store.
struct CountingBuild {
    let arm: Arm
    let recorder: EvidenceRecorder
    private let clock: any Clock<Duration>
    private let state: UpgradeState
    private let own = MemoryLedger()

    init(_ side: Side, _ build: String, at state: UpgradeState, clock: any Clock<Duration>) {
        arm = Arm(side, build: build)
        (self.state, self.clock) = (state, clock)
        recorder = EvidenceRecorder(
            StageState(stage: state.stage, epoch: state.epoch),
            key: arm.key,
            clock: clock
        )
        recorder.keep()
        recorder.follow(state)
    }

    /// Makes one call for each of these units. The first ones fail, and others get the given answer.
    func count(_ units: Range<Int>, failing failures: Int = 0, answering answers: Int = 0) {
        for unit in units {
            let place = unit - units.lowerBound
            let isFailed = place < failures
            recorder.called(
                RoutedCall(
                    capability: state.capability,
                    operation: unit.isMultiple(of: 2) ? "list" : "order",
                    stage: state.stage,
                    epoch: state.epoch,
                    unit: "u\(unit)",
                    side: arm.side,
                    role: .first,
                    outcome: isFailed ? .failed(.failed, kind: "k") : .answered,
                    answer: (failures..<failures + answers).contains(place) ? "gone" : nil,
                    duration: .milliseconds(unit.isMultiple(of: 5) ? 30 : 1)
                )
            )
        }
    }

    /// Merges what was counted since the last time.
    ///
    /// - Parameter shared: a store in which the counts are saved too, as if all builds had one store.
    func save(_ shared: MemoryLedger? = nil) async throws {
        try await recorder.merge(into: SharedLedger(own: own, shared: shared), of: state.capability)
    }

    /// A ledger whose rows another one gets, too.
    private struct SharedLedger: EvidenceLedger {
        let own: MemoryLedger
        let shared: MemoryLedger?

        func merge(_ rows: EvidenceRows, of capability: String) async -> EvidenceCounts {
            await shared?.merge(rows, of: capability)
            return await own.merge(rows, of: capability)
        }
        func counts(of capability: String, under key: EpochKey) async -> EvidenceCounts? {
            await own.counts(of: capability, under: key)
        }
        func builds(of capability: String, epoch: Int) async -> [EvidenceCounts] {
            await own.builds(of: capability, epoch: epoch)
        }
        func newestEpoch(of capability: String) async -> Int? { await own.newestEpoch(of: capability) }
    }

    /// Returns a state at that stage, after the legacy side was watched.
    static func state(_ capability: String, at stage: Stage) -> UpgradeState {
        var state = Snapshots.state(capability, at: stage, epoch: 3)
        let operation = LegacyBaseline.Operation(units: FailureCounts(0, of: 10_000), slowNanoseconds: 10_000_000)
        state.baseline = LegacyBaseline(
            units: FailureCounts(0, of: 20_000),
            operations: ["list": operation, "order": operation],
            gaveUp: 0
        )
        return state
    }
}
#endif
