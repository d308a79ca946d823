import Cofferdam
import CofferdamUpgrade

/// The same units again and again: after each restart of the process, and at each instance of a fleet. Real recorders
/// count them, and a real ledger keeps the counts.
struct ReturningUnits {
    var units: Int
    var restarts = 14
    var instances = 2
    /// The number of units that fail, each time they come.
    var failing: Int

    private static let operation = "search"

    /// The reading of the last process, after the units have come back after every restart.
    func reading(at stage: Stage) async throws -> GateReading {
        let ledger = MemoryLedger()
        var state = UpgradeState(capability: "returning", since: 0)
        (state.stage, state.epoch) = (stage, 1)
        state.baseline = LegacyBaseline(
            units: FailureCounts(0, of: 20_000),
            operations: [Self.operation: .init(units: FailureCounts(0, of: 20_000), slowNanoseconds: 6_000_000)]
        )
        var newest = GateReading(stage: stage, metrics: [:])
        for restart in 0...restarts {
            for instance in 0..<instances {
                // Each process starts after the windows of the one before have ended.
                let now = Int64((restart * instances + instance) * 3_600_000)
                let recorder = EvidenceRecorder(breakers: try Breakers(), key: { EpochKey(stage: $0) }, now: { now })
                try await recorder.resume(from: ledger, at: state)
                for unit in 0..<units where unit % instances == (restart + instance) % instances {
                    recorder.compared(comparison(unit, state))
                    recorder.sessionEnded(of: "unit \(unit)")
                }
                try await recorder.merge(into: ledger, of: state.capability)
                newest = await recorder.reading(of: state, afterSeconds: Int(now / 1_000))
            }
        }
        return newest
    }

    private func comparison(_ unit: Int, _ state: UpgradeState) -> ShadowComparison {
        ShadowComparison(
            capability: state.capability,
            operation: Self.operation,
            stage: state.stage,
            epoch: state.epoch,
            unit: "unit \(unit)",
            outcome: unit < failing ? .candidateFailed : .match,
            differences: [],
            expectation: nil,
            durations: [:]
        )
    }
}
