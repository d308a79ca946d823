package import CofferdamUpgrade

/// Requests for tests, each with a unique id.
package enum Requests {
    package static func request(_ action: UpgradeAction, id: String, by: String = "amara", at: Int64 = 5_000)
        -> UpgradeRequest
    {
        UpgradeRequest(action, by: by, reason: "a test", at: at, id: id)
    }

    package static func stored(at stage: Stage, _ change: (inout StoredUpgrade) -> Void = { _ in }) -> StoredUpgrade {
        var stored = StoredUpgrade(state: UpgradeState(capability: "catalogue", since: 1), revision: 7)
        stored.state.stage = stage
        stored.state.epoch = 3
        change(&stored)
        return stored
    }

    /// Returns the gate's decision at that stage for a good candidate, or for one whose reading was changed.
    package static func decision(
        at stage: Stage,
        attempt: Int = 1,
        _ change: (inout GateReading) -> Void = { _ in }
    ) throws -> Decision {
        try Readings.plan().attempt(attempt).gate(at: stage).decide(Readings.good(at: stage, change))
    }
}
