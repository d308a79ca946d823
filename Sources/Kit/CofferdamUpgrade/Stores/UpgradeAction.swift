/// What is to be done with an upgrade.
public enum UpgradeAction: Sendable, Hashable, Codable {
    /// The next step, for which a person answers: from the first stage, after a rollback, or where the gate could not decide.
    /// Everywhere else only `despiteGate`, and the log tells it.
    case advance(despiteGate: Bool = false)
    /// The next step, which the evidence permits.
    case promote(Decision)
    /// Back to `legacyOnly`, because the evidence says so.
    case retreat(Decision)
    /// The evidence is not enough after all its time: a person is asked.
    case ask(Decision)
    /// Back to a lower stage, because a person says so. As with ``retreat(_:)``, ``abort`` and ``resume``, no operation keeps a
    /// higher stage of its own.
    case rollBack(to: Stage = .legacyOnly)
    /// Back to `legacyOnly` at once. Nothing stops it but a kill switch that freezes.
    case abort
    case kill(KillSwitch.Target)
    /// Clears the kill switch. One at legacy leaves `legacyOnly` behind, as ``abort`` does.
    case resume
    /// Gives one operation a stage of its own; nil lets it follow the others again. It holds where both sides have one backend:
    /// see ``DataOwnership/separate``.
    case override(operation: String, stage: Stage?)
    /// Puts units on the candidate before any share is, and names them apart in what is counted. Those that were on the list stay on
    /// it; if an abort has sent them back, all are on the candidate again. Never refused for its stage: where all units are on the
    /// candidate it changes where none of them is.
    case allow(units: [String])
    /// Takes units off the list. Their next call goes where the stage sends it.
    case disallow(units: [String])
    /// Adds what the legacy side did, where the transition that ended `legacyOnly` did not know it. A new epoch begins, at the same
    /// stage: its gate judges each operation.
    case measure(LegacyBaseline)
    /// Begins a new epoch at the same stage, because units are counted by other rules than those that the state goes by.
    case recount

    /// The word for it: "advance".
    public var name: String {
        switch self {
        case .advance: "advance"
        case .promote: "promote"
        case .retreat: "retreat"
        case .ask: "ask"
        case .rollBack: "rollback"
        case .abort: "abort"
        case .kill: "kill"
        case .resume: "resume"
        case .override: "override"
        case .allow: "allow"
        case .disallow: "disallow"
        case .measure: "measure"
        case .recount: "recount"
        }
    }

    /// What it was decided from, if it was evidence.
    public var decision: Decision? {
        switch self {
        case .promote(let decision), .retreat(let decision), .ask(let decision): decision
        case .advance, .rollBack, .abort, .kill, .resume, .override, .allow, .disallow, .measure, .recount: nil
        }
    }
}

/// Who wants what, and why.
public struct UpgradeRequest: Sendable, Hashable, Codable {
    /// Of this request alone: by it a store tells whether it was carried out, where an answer was lost.
    public var id: String
    public var action: UpgradeAction
    /// A person, or the part of the system that acts: "gate".
    public var by: String
    public var reason: String
    /// When, in milliseconds since 1970.
    public var at: Int64
    /// What the legacy side did, for a step that ends `legacyOnly`; nil where it is not known.
    public var baseline: LegacyBaseline?

    /// - Parameter id: a new UUID, say.
    public init(
        _ action: UpgradeAction,
        by: String,
        reason: String,
        at: Int64,
        id: String,
        baseline: LegacyBaseline? = nil
    ) {
        self.id = id
        self.action = action
        self.by = by
        self.reason = reason
        self.at = at
        self.baseline = baseline
    }
}

/// One line of the audit log: what was changed, by whom, why, and from what evidence.
public struct AuditEntry: Sendable, Hashable, Codable, Identifiable {
    public var request: UpgradeRequest
    public var capability: String
    public var before: Position
    public var after: Position

    public var id: String { request.id }

    /// Where the upgrade was.
    public struct Position: Sendable, Hashable, Codable {
        public var stage: Stage
        public var epoch: Int
        public var attempt: Int
        public var kill: KillSwitch.Target?
        /// The stages of single operations; nil for none.
        public var overrides: [String: Stage]?
        /// How many units are named; nil for none.
        public var named: Int?
        /// Set while those are held back.
        public var holdsNamedBack: Bool?

        public init(_ stored: StoredUpgrade) {
            (stage, epoch, attempt) = (stored.state.stage, stored.state.epoch, stored.state.attempt)
            kill = stored.kill?.target
            overrides = stored.state.overrides.isEmpty ? nil : stored.state.overrides
            let units = stored.state.named
            (named, holdsNamedBack) = (units.units.isEmpty ? nil : units.units.count, units.areHeldBack ? true : nil)
        }
    }
}
