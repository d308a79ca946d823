import Cofferdam
import CofferdamGate

/// The same units again and again: after each restart of the process, and at each instance of a fleet. The real evidence
/// counts them, and its rows are merged as a ledger merges them.
struct ReturningUnits {
    var units: Int
    var restarts = 14
    var instances = 2
    /// The number of units that fail, each time they come.
    var failing: Int

    private static let operation = "search"

    /// The reading of the last process, after the units have come back after every restart.
    func reading(at stage: Stage) -> GateReading {
        let key = EpochKey(stage: stage)
        let baseline = LegacyBaseline(
            units: FailureCounts(0, of: 20_000),
            operations: [Self.operation: .init(units: FailureCounts(0, of: 20_000), slowNanoseconds: 6_000_000)]
        )
        var (counts, kept) = (EvidenceCounts(key, epoch: 1), MemoryRows())
        var now = Duration.zero
        for restart in 0...restarts {
            for instance in 0..<instances {
                // Each process starts after the windows of the one before have ended.
                now = .seconds((restart * instances + instance) * 3_600)
                var process = EpochEvidence(key, baseline: baseline)
                process.windows.keepRows()
                for unit in 0..<units where unit % instances == (restart + instance) % instances {
                    let outcome = unit < failing ? ComparisonOutcome.candidateFailed : .match
                    process.record(outcome, of: Self.operation, unit: "unit \(unit)", at: now)
                    process.end("unit \(unit)")
                }
                // Rows in memory never fail.
                _ = try? counts.merge(process.rows(at: now), into: &kept)
            }
        }
        return counts.reading(
            against: baseline,
            afterSeconds: Int(now.components.seconds),
            breaker: BreakerHistory(),
            isKept: true
        )
    }
}

extension EpochEvidence {
    fileprivate func rows(at now: Duration) -> EvidenceRows {
        var rows = EvidenceRows(key, epoch: epoch)
        (rows.names, rows.rows, rows.reads) = (names, unmerged(0), reads)
        rows.takenAt = now.wholeNanoseconds / 1_000_000
        rows.windowsEndBefore = rows.takenAt - EpochEvidence.window.wholeNanoseconds / 1_000_000
        return rows
    }
}
