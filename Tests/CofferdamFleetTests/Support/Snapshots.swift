#if Fleet
import CofferdamUpgrade

enum Snapshots {
    /// A name that must be escaped in a query and in an exposition.
    static let capability = #"cat"a\logue"#

    static func key(_ binary: String = "") -> EpochKey { EpochKey(stage: .canary(share: 500), binary: binary) }

    static func state(_ capability: String, at stage: Stage, epoch: Int) -> UpgradeState {
        var state = UpgradeState(capability: capability, since: 0)
        (state.stage, state.epoch) = (stage, epoch)
        return state
    }

    static func snapshot(
        _ metrics: [Metric: FailureCounts],
        matches: Int = 0,
        breaker: BreakerHistory? = BreakerHistory(),
        epoch: Int = 3
    ) -> EvidenceSnapshot {
        EvidenceSnapshot(
            capability: capability,
            at: 1,
            reading: GateReading(stage: .canary(share: 500), epoch: epoch, metrics: metrics, breaker: breaker),
            outcomes: OutcomeCounts([.match: matches])
        )
    }
}
#endif
