import Cofferdam

/// What two sides do, as rates for each unit, whichever operation they fall on.
package struct UpgradeModel: Sendable, Hashable, Codable {
    /// The candidate says something else.
    package var mismatch: Double
    /// The candidate fails alone.
    package var candidateFailure: Double
    /// The legacy side fails alone.
    package var legacyFailure: Double
    /// The candidate is slower than the limit.
    package var slow: Double
    /// The legacy side is.
    package var legacySlow: Double

    package init(
        mismatch: Double = 0,
        candidateFailure: Double = 0,
        legacyFailure: Double = 0,
        slow: Double = 0,
        legacySlow: Double = 0
    ) {
        self.mismatch = mismatch
        self.candidateFailure = candidateFailure
        self.legacyFailure = legacyFailure
        self.slow = slow
        self.legacySlow = legacySlow
    }

    /// The world in which the usual operations are called, and this happens.
    package var world: SimulatedWorld {
        let faults: [SimulatedWorld.Fault] = [
            .init(.mismatch, by: .candidate, rate: mismatch), .init(.failed, by: .candidate, rate: candidateFailure),
            .init(.failed, by: .legacy, rate: legacyFailure), .init(.slow, by: .candidate, rate: slow),
            .init(.slow, by: .legacy, rate: legacySlow),
        ]
        return SimulatedWorld(faults: faults.filter { $0.rate > 0 })
    }
}
