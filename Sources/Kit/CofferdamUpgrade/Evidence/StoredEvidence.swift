/// The counts of a store to which others add, such as that of a server: this process counts nothing itself.
package struct StoredEvidence: EvidenceSource {
    private let store: any EvidenceStore
    private let window: Int

    /// - Parameter window: the length of a unit's window, in seconds.
    package init(_ store: any EvidenceStore, window: Int) { (self.store, self.window) = (store, window) }

    /// The counts of the epoch of that state; without metrics before the first unit.
    package func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        if state.stage.comparesBuilds { return try await ArmEvidence(store).reading(of: state, afterSeconds: seconds) }
        let key = EvidenceReport.key(of: state.stage, window: window)
        let found = try await store.arms(of: state.capability, epoch: state.epoch).first { $0.record.key == key }
        guard let found else {
            return GateReading(stage: state.stage, epoch: state.epoch, seconds: seconds, metrics: [:])
        }
        let baseline = state.stage == .legacyOnly ? nil : state.baseline
        // A breaker belongs to one device. What it refuses is not counted; the failures that opened it are.
        return found.evidence(against: baseline)
            .reading(afterSeconds: seconds, breaker: BreakerHistory(), isKept: !(found.record.lacksUnits ?? false))
    }

    /// The baseline of the legacy side as it was counted so far; nil if too few calls were timed.
    package func baseline(of capability: String, minimum: Int) async throws -> LegacyBaseline? {
        try await store.saved(of: capability, under: .baseline)?.baseline(minimum: minimum)
    }
}
