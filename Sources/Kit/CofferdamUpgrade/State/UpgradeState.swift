/// How far one capability's upgrade has come, and who takes the next step. What an ``UpgradeStore`` keeps; ``StageState`` is
/// what routes follow.
public struct UpgradeState: Sendable, Hashable, Codable {
    public var capability: String
    public var stage: Stage
    /// One more with each change of the stage: evidence of another epoch says nothing of this one.
    public var epoch: Int
    /// When the epoch began, in seconds since 1970.
    public var since: Int64
    /// From 1, one more each time that the stage goes back, by whatever: the gates begin anew then, and what is left of α is
    /// shared out by it. A kill switch moves no stage; going back under it, or clearing one that was at legacy, does, and only
    /// the first of the two finds a stage to go back from.
    public var attempt: Int
    /// Set where no evidence takes the next step, but a person.
    public var waiting: Waiting?
    /// The stages of single operations, by their names.
    public var overrides: [String: Stage]
    /// The ``AuditEntry/id`` of the change that led here; empty at the beginning.
    public var entry: String
    /// What the legacy side did while all units were on it: frozen by the transition that ended `legacyOnly`, for every process of a
    /// fleet. Nil until then, and where it was not known: the first process that knows it adds it.
    public var baseline: LegacyBaseline?
    /// By which rules units are counted; nil for those of before there were windows. A state that goes by others than this version's
    /// begins a new epoch, at the same stage: see ``UpgradeAction/recount``.
    public var counting: Int?
    /// The units that are on the candidate before any share is.
    public var named = NamedUnits()

    /// The counting rules of this version. Version 1 counted a unit by its first calls; version 2 counts it by windows.
    static let currentCounting = 2

    /// Before the first step.
    public init(capability: String, since: Int64) {
        self.capability = capability
        self.since = since
        (stage, epoch, attempt, waiting, overrides, entry) = (.legacyOnly, 0, 1, nil, [:], "")
        counting = Self.currentCounting
    }

    /// Whether what was counted in this epoch was counted by this version's rules. At `legacyOnly` nothing is decided from it.
    var countsAsNow: Bool { counting == Self.currentCounting || stage == .legacyOnly }

    /// Why a person is waited for.
    public enum Waiting: String, Sendable, Hashable, Codable, CaseIterable {
        /// The candidate was rolled back, by the gate or by a person.
        case rolledBack
        /// It was counted for long enough, and was not enough.
        case undecided
    }
}

extension UpgradeState {
    /// A state of before some of it was written has none of that: no baseline, no rules of counting, no named units.
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
        named = try values.decodeIfPresent(NamedUnits.self, forKey: .named) ?? NamedUnits()
    }
}

/// What a store has of one capability.
public struct StoredUpgrade: Sendable, Hashable {
    public var state: UpgradeState
    /// Kept apart from the state, over which it wins.
    public var kill: KillSwitch?
    /// Grows with each change of the state or the kill switch; 0 where nothing is stored yet.
    public var revision: Int64

    public init(state: UpgradeState, kill: KillSwitch? = nil, revision: Int64 = 0) {
        self.state = state
        self.kill = kill
        self.revision = revision
    }

    /// For those who route.
    public var routing: StageState {
        var routing = StageState(stage: state.stage, epoch: state.epoch, kill: kill)
        routing.overrides = state.overrides
        (routing.named, routing.servesNamed) = (state.named.units, !state.named.areHeldBack)
        return routing
    }
}
