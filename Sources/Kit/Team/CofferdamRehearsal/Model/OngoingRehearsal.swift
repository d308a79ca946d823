public import CofferdamUpgrade  // its store and its evidence

/// An upgrade that is being rehearsed, for people who watch and change it meanwhile. Their changes go to the
/// rehearsal's store, which the rehearsal follows.
public struct OngoingRehearsal: Sendable {
    /// The name of the scenario.
    package let scenario: String
    /// The name of the upgrade.
    public let capability: String
    /// The stages and their requirements.
    public let plan: UpgradePlan
    /// The state and the audit log.
    public let store: any UpgradeStore
    /// The evidence on which the gate decides.
    public var evidence: any EvidenceSource { Counts(recorder: recorder) }
    /// The baseline of the old side; nil while too little is known.
    package var baseline: LegacyBaseline? { recorder.baseline }
    /// Returns the rehearsal's time, in milliseconds since 1970.
    package let now: @Sendable () -> Int64
    private let recorder: EvidenceRecorder

    init(
        scenario: String,
        capability: String,
        plan: UpgradePlan,
        store: any UpgradeStore,
        recorder: EvidenceRecorder,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.scenario, self.capability) = (scenario, capability)
        (self.plan, self.store) = (plan, store)
        (self.recorder, self.now) = (recorder, now)
    }

    /// The recorder's counts for its own epoch: only the rehearsal changes what the recorder counts.
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
