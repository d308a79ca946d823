#if Server
import Cofferdam
import CofferdamUpgrade

/// The counts of a ledger to which others add, such as that of a server: this process counts nothing itself.
struct StoredEvidence: EvidenceSource {
    private let ledger: any EvidenceLedger
    private let window: Int

    /// - Parameter window: the length of a unit's window, in seconds.
    init(_ ledger: any EvidenceLedger, window: Int) { (self.ledger, self.window) = (ledger, window) }

    /// Whose evidence counts for a promotion.
    var promotionCounts = CountedInstallations.all

    /// The counts of the epoch of that state; without metrics before the first unit.
    func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        let all = try await ledger.builds(of: state.capability, epoch: state.epoch)
            .filter { $0.key.stage == state.stage }
        var reading = reading(of: all, by: nil, at: state, seconds)
        reading.installations = InstallationCounts(all)
        if promotionCounts != .all {
            reading.promoting = self.reading(of: all, by: promotionCounts, at: state, seconds).metrics
        }
        return reading
    }

    private func reading(
        of counts: [EvidenceCounts],
        by installations: CountedInstallations?,
        at state: UpgradeState,
        _ seconds: Int
    ) -> GateReading {
        let counts = counts.filter { $0.key.installations == installations }
        if state.stage.comparesBuilds {
            return GateReading(
                ofBuilds: counts,
                at: state.stage,
                epoch: state.epoch,
                against: state.baseline,
                afterSeconds: seconds
            )
        }
        var key = EvidenceReport.key(of: state.stage, window: window)
        key.installations = installations
        var found = counts.first { $0.key == key }
        // That none of those has reported is a count, too: nothing is missing.
        if installations != nil, found == nil {
            found = EvidenceCounts(key, epoch: state.epoch)
        }
        guard let found else {
            return GateReading(stage: state.stage, epoch: state.epoch, seconds: seconds, metrics: [:])
        }
        let baseline = state.stage == .legacyOnly ? nil : state.baseline
        // A breaker belongs to one device. What it refuses is not counted; the failures that opened it are.
        return found.reading(
            against: baseline,
            afterSeconds: seconds,
            breaker: BreakerHistory(),
            isKept: !found.lacksUnits
        )
    }

    /// The baseline of the legacy side as it was counted so far, by those that count for a promotion: it says how much
    /// the candidate may fail. Nil if too few calls were timed.
    func baseline(of capability: String, minimum: Int) async throws -> LegacyBaseline? {
        var key = EpochKey.baseline
        if promotionCounts != .all { key.installations = promotionCounts }
        return try await ledger.counts(of: capability, under: key)?.baseline(minimum: minimum)
    }
}
#endif
