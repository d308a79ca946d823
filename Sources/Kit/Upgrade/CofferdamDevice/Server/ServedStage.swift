package import CofferdamUpgrade  // stages and what they need

/// The stage of a capability as a server gives it to devices: what routing and counting need, and nothing about people.
package struct ServedStage: Sendable, Hashable, Codable {
    package var capability: String
    package var stage: Stage
    package var epoch: Int
    /// When the epoch began, in seconds since 1970.
    package var since: Int64
    package var attempt: Int
    package var revision: Int64
    /// The id of the last change; empty before the first.
    package var change: String
    /// The target of the kill switch, if it is set, and its number.
    package var kill: KillSwitch.Target?
    package var killSeq: Int?
    /// The stages of single operations; nil if there are none.
    package var overrides: [String: Stage]?
    package var baseline: LegacyBaseline?
    /// The plan that the upgrade follows; nil before it began.
    package var plan: StoredPlan?

    /// - Parameter stored: nil if there is no state yet.
    package init(_ stored: StoredUpgrade?, of capability: String) {
        let stored = stored ?? StoredUpgrade(state: UpgradeState(capability: capability, since: 0))
        let state = stored.state
        (self.capability, stage, epoch, since) = (capability, state.stage, state.epoch, state.since)
        (attempt, revision, change) = (state.attempt, stored.revision, state.entry)
        (kill, killSeq) = (stored.kill?.target, stored.kill?.seq)
        overrides = state.overrides.isEmpty ? nil : state.overrides
        (baseline, plan) = (state.baseline, state.plan)
    }

    /// Whether devices do the same under both: a change that is in force before it is stored is served again once it is.
    package func directsAlike(_ other: ServedStage?) -> Bool {
        stage == other?.stage && epoch == other?.epoch && kill == other?.kill && overrides == other?.overrides
    }

    /// Identifies this content: a server that was restored from a backup may have the same revision twice.
    package var tag: String { "\"\(revision)-\(change)\"" }

    /// The state to follow; nil before the first change.
    package var stored: StoredUpgrade? {
        guard revision > 0 else { return nil }
        var state = UpgradeState(capability: capability, since: since)
        (state.stage, state.epoch, state.attempt, state.entry) = (stage, epoch, attempt, change)
        (state.overrides, state.baseline, state.plan) = (overrides ?? [:], baseline, plan)
        let kill = kill.map { KillSwitch($0, by: "server", reason: "see the server's audit log", seq: killSeq ?? 1) }
        return StoredUpgrade(state: state, kill: kill, revision: revision)
    }
}
