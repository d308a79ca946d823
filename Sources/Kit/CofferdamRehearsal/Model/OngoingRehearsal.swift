public import CofferdamUpgrade  // its state is in a store, and its counts are a source of evidence

/// An upgrade that is being rehearsed, for those who look at it and move it meanwhile. What they change goes to the store of the
/// rehearsal, which follows it.
public struct OngoingRehearsal: Sendable {
    /// The name of the upgrade.
    public let capability: String
    /// The stages, and what each requires.
    public let plan: UpgradePlan
    /// The state and the audit log.
    public let store: any UpgradeStore
    /// What the gate sees.
    public var evidence: any EvidenceSource { Counts(recorder: recorder) }
    /// What the old side did before the upgrade; nil while too little is known.
    public var baseline: LegacyBaseline? { recorder.baseline }
    /// The time of the rehearsal, in milliseconds since 1970.
    public let now: @Sendable () -> Int64
    private let recorder: EvidenceRecorder

    init(
        capability: String,
        plan: UpgradePlan,
        store: any UpgradeStore,
        recorder: EvidenceRecorder,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.capability, self.plan, self.store) = (capability, plan, store)
        (self.recorder, self.now) = (recorder, now)
    }

    /// The counts without following a state: only the rehearsal moves what it counts.
    private struct Counts: EvidenceSource {
        let recorder: EvidenceRecorder

        func reading(of state: UpgradeState, afterSeconds seconds: Int) async -> GateReading {
            let reading = recorder.reading(afterSeconds: seconds)
            guard reading.epoch == state.epoch, reading.stage == state.stage else {
                return GateReading(stage: state.stage, epoch: state.epoch, seconds: seconds, metrics: [:])
            }
            return reading
        }
    }
}
