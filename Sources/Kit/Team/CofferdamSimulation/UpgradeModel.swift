import Cofferdam
import CofferdamGate

/// The behaviour of two sides, as rates per unit, whatever the operation.
package struct UpgradeModel: Sendable, Hashable, Codable {
    /// The candidate gives a different answer.
    package var mismatch: Double
    /// The candidate fails alone.
    package var candidateFailure: Double
    /// The legacy side fails alone.
    package var legacyFailure: Double
    /// The candidate is slower than the limit.
    package var slow: Double
    /// The legacy side is slower than the limit.
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

    /// The world in which units call the usual operations, with these rates.
    package var world: SimulatedWorld {
        let faults: [SimulatedWorld.Fault] = [
            .init(.mismatch, by: .candidate, rate: mismatch), .init(.failed, by: .candidate, rate: candidateFailure),
            .init(.failed, by: .legacy, rate: legacyFailure), .init(.slow, by: .candidate, rate: slow),
            .init(.slow, by: .legacy, rate: legacySlow),
        ]
        return SimulatedWorld(faults: faults.filter { $0.rate > 0 })
    }
}
