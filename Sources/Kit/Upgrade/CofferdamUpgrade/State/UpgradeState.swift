/// The stored state of the upgrade of one capability, kept by an ``UpgradeStore``. Routes follow a ``StageState``.
public struct UpgradeState: Sendable, Hashable, Codable {
    /// The name of the capability.
    public var capability: String
    /// The stage.
    public var stage: Stage
    /// The number of stage changes. Evidence of one epoch never counts in another.
    public var epoch: Int
    /// When the epoch began, in seconds since 1970.
    public var since: Int64
    /// The number of the attempt, from 1. It increases each time the stage goes back: the gates then start again, with
    /// a smaller part of α. A kill switch does not change the stage, but going back while it is set, or clearing one at
    /// `legacy`, does.
    package var attempt: Int
    /// Set if a person must take the next step.
    package var waiting: Waiting?
    /// The stages of single operations, by name.
    package var overrides: [String: Stage]
    /// The ``AuditEntry/id`` of the last change; empty at the beginning.
    package var entry: String
    /// The baseline of the legacy side, stored by the transition that ends `legacyOnly`. Nil until then; if it was
    /// unknown then, the first process that knows it adds it.
    package var baseline: LegacyBaseline?
    /// The version of the counting rules; nil for the first version. A state with older rules begins a new epoch at
    /// the same stage: see ``UpgradeAction/recount``.
    package var counting: Int?
    /// The ``AuditEntry/id`` of its first step, so that evidence of an upgrade that was removed does not count in the next;
    /// nil before that step, and in older states until they go back.
    package var beginning: String?
    /// The plan that the upgrade began with; nil before its first step, and in older states until the next change.
    package var plan: StoredPlan?
    /// The units that use the candidate before any share does.
    package var named = NamedUnits()

    /// The state before the first step.
    package init(capability: String, since: Int64) {
        self.capability = capability
        self.since = since
        (stage, epoch, attempt, waiting, overrides, entry) = (.legacyOnly, 0, 1, nil, [:], "")
        counting = EpochKey.currentCounting
    }

    /// Whether this epoch is counted by the rules of this version. At `legacyOnly` no decision depends on them.
    var countsAsNow: Bool { counting == EpochKey.currentCounting || stage == .legacyOnly }

    /// Whether this epoch is counted by the rules of a newer version, so that this one must not decide.
    var countsAsLater: Bool { counting ?? 1 > EpochKey.currentCounting && stage != .legacyOnly }

    /// Why a person must act.
    package enum Waiting: String, Sendable, Hashable, Codable, CaseIterable {
        /// The candidate was rolled back, by the gate or by a person.
        case rolledBack
        /// The gate reached its limits without a decision.
        case undecided
    }
}

extension UpgradeState {
    /// Decodes older states too, which lack the baseline, the counting rules, the named units, the
    /// plan and the id of the first step.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        capability = try values.decode(String.self, forKey: .capability)
        stage = try values.decode(Stage.self, forKey: .stage)
        epoch = try values.decode(Int.self, forKey: .epoch)
        since = try values.decode(Int64.self, forKey: .since)
        attempt = try values.decode(Int.self, forKey: .attempt)
        waiting = try values.decodeIfPresent(Waiting.self, forKey: .waiting)
        overrides = try values.decode([String: Stage].self, forKey: .overrides)
        entry = try values.decode(String.self, forKey: .entry)
        baseline = try values.decodeIfPresent(LegacyBaseline.self, forKey: .baseline)
        counting = try values.decodeIfPresent(Int.self, forKey: .counting)
        beginning = try values.decodeIfPresent(String.self, forKey: .beginning)
        plan = try values.decodeIfPresent(StoredPlan.self, forKey: .plan)
        named = try values.decodeIfPresent(NamedUnits.self, forKey: .named) ?? NamedUnits()
    }
}

/// The stored state of one capability with its kill switch.
public struct StoredUpgrade: Sendable, Hashable {
    /// The stored state.
    public var state: UpgradeState
    /// The kill switch. It is stored separately from the state, and takes precedence over it.
    public var kill: KillSwitch?
    /// Increases with each change of the state or the kill switch; 0 if nothing is stored.
    public var revision: Int64

    /// Creates a value from its parts.
    public init(state: UpgradeState, kill: KillSwitch? = nil, revision: Int64 = 0) {
        self.state = state
        self.kill = kill
        self.revision = revision
    }

    /// The state for the routes.
    package var routing: StageState {
        var routing = StageState(stage: state.stage, epoch: state.epoch, kill: kill)
        routing.overrides = state.overrides
        (routing.named, routing.servesNamed) = (state.named.units, !state.named.isHeldBack)
        return routing
    }
}

extension StoredUpgrade {
    /// - Parameter subject: where the state was read: a file or a key.
    /// - Throws: ``UpgradeStoreError`` with `unreadable` for impossible numbers and invalid names.
    package func check(in subject: String) throws(UpgradeStoreError) {
        let numbers: [(name: String, value: Int64)] = [
            ("revision", revision), ("epoch", Int64(state.epoch)), ("attempt", Int64(state.attempt)),
            ("since", state.since), ("seq", Int64(kill?.seq ?? 0)),
        ]
        for (name, value) in numbers where !(0...(1 << 52)).contains(value) {
            throw UpgradeStoreError(.unreadable, "\(name) is \(value)", subject: subject)
        }
        if let problem = state.named.problem ?? state.plan?.problem {
            throw UpgradeStoreError(.unreadable, problem, subject: subject)
        }
    }
}
