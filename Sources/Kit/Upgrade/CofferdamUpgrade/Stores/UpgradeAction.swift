/// A change of an upgrade.
public enum UpgradeAction: Sendable, Hashable, Codable {
    /// Takes the next step on a person's responsibility: from the first stage, after a rollback, or when the gate could
    /// not decide. Elsewhere it needs `despiteGate`, and the audit log records that.
    case advance(despiteGate: Bool = false)
    /// Takes the next step on the evidence.
    case promote(Decision)
    /// Goes back to `legacyOnly` on the evidence.
    case retreat(Decision)
    /// Asks a person, because the gate reached its limits without a decision.
    case ask(Decision)
    /// Goes back to a lower stage on the request of a person. As with ``retreat(_:)``, ``abort`` and ``resume``, no
    /// operation keeps a higher stage of its own.
    case rollBack(to: Stage = .legacyOnly)
    /// Goes back to `legacyOnly` at once.
    case abort
    /// Sets the kill switch.
    case kill(KillSwitch.Target)
    /// Clears the kill switch. If its target was legacy, the stage is then `legacyOnly`, as after ``abort``.
    case resume
    /// Gives one operation a stage of its own; nil removes it. A stage above that of the upgrade needs `despiteGate`.
    /// Only for capabilities with shared data: see ``DataOwnership/separate``.
    case override(operation: String, stage: Stage?, despiteGate: Bool? = nil)
    /// Adds units to the list of named units. After an abort sent them back, all listed units use the candidate again.
    /// Allowed at every stage; if all units use the candidate anyway, it has no effect.
    case allow(units: [String])
    /// Removes units from the list. Their next call follows the stage.
    case disallow(units: [String])
    /// Adds the baseline, if the transition that ended `legacyOnly` did not know it. Begins a new epoch at the same
    /// stage, whose gate judges each operation.
    case measure(LegacyBaseline)
    /// Begins a new epoch at the same stage, because the counting rules have changed.
    case recount
    /// Gives the upgrade another plan. Where units are counted, they are counted anew, in another attempt.
    case replan(StoredPlan)

    /// The name: "advance".
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
        case .replan: "replan"
        }
    }

    /// Whether it can only stop the upgrade or send users back, so that it must work whatever else does not.
    package var isStop: Bool {
        switch self {
        case .kill(let target): target != .candidate
        case .abort, .rollBack, .retreat: true
        case .advance, .promote, .ask, .resume, .override, .allow, .disallow, .measure, .recount, .replan: false
        }
    }

    /// The decision, if the action follows from evidence.
    package var decision: Decision? {
        switch self {
        case .promote(let decision), .retreat(let decision), .ask(let decision): decision
        case .advance, .rollBack, .abort, .kill, .resume, .override, .allow, .disallow, .measure, .recount,
            .replan:
            nil
        }
    }
}

/// A request for a change: what, by whom and why.
public struct UpgradeRequest: Sendable, Hashable, Codable {
    /// A unique id, by which a store knows whether the request was carried out if an answer was lost.
    public var id: String
    /// What to do.
    public var action: UpgradeAction
    /// A person, or a part of the system: "gate".
    public var by: String
    /// The reason, for people.
    public var reason: String
    /// The time, in milliseconds since 1970.
    public var at: Int64
    /// The baseline, for a step that ends `legacyOnly`; nil if unknown.
    public var baseline: LegacyBaseline?
    /// What its maker knew of the upgrade; nil if nothing. If the upgrade has changed since, a step up is refused. If
    /// another attempt has begun since, so is an abort.
    package var seen: Seen?

    /// - Parameter id: unique, for example a new UUID.
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

    /// The state of an upgrade on which its maker based a request.
    package struct Seen: Sendable, Hashable, Codable {
        package var stage: Stage
        package var attempt: Int?
        package var revision: Int64

        package init(stage: Stage, attempt: Int? = nil, revision: Int64) {
            (self.stage, self.attempt, self.revision) = (stage, attempt, revision)
        }

        package init(_ stored: StoredUpgrade) {
            self.init(stage: stored.state.stage, attempt: stored.state.attempt, revision: stored.revision)
        }
    }

    /// Whether it asks for the same as another request, whatever the reason and the evidence.
    func asksTheSame(as other: UpgradeRequest) -> Bool {
        guard by == other.by else { return false }
        return switch (action, other.action) {
        case (.promote, .promote), (.retreat, .retreat), (.ask, .ask), (.measure, .measure): true
        default: action == other.action
        }
    }
}

/// An entry of the audit log: what changed, by whom, why and on what evidence.
public struct AuditEntry: Sendable, Hashable, Codable, Identifiable {
    /// The request.
    public var request: UpgradeRequest
    /// The name of the capability.
    public var capability: String
    /// The position before the change.
    public var before: Position
    /// The position after the change.
    public var after: Position

    /// The id.
    public var id: String { request.id }

    init(_ request: UpgradeRequest, before: StoredUpgrade, after: StoredUpgrade) {
        (self.request, capability) = (request, before.state.capability)
        (self.before, self.after) = (Position(before), Position(after))
    }

    /// The position of an upgrade before or after a change.
    public struct Position: Sendable, Hashable, Codable {
        /// The stage.
        public var stage: Stage
        /// The epoch.
        package var epoch: Int
        /// The number of the attempt.
        var attempt: Int
        /// The kill switch; nil if none is set.
        package var kill: KillSwitch.Target?
        /// The stages of single operations; nil if there are none.
        package var overrides: [String: Stage]?
        /// The number of named units; nil if there are none.
        package var named: Int?
        /// Set while named units are sent to the legacy side.
        package var holdsNamedBack: Bool?

        package init(_ stored: StoredUpgrade) {
            (stage, epoch, attempt) = (stored.state.stage, stored.state.epoch, stored.state.attempt)
            kill = stored.kill?.target
            overrides = stored.state.overrides.isEmpty ? nil : stored.state.overrides
            let units = stored.state.named
            (named, holdsNamedBack) = (units.units.isEmpty ? nil : units.units.count, units.isHeldBack ? true : nil)
        }
    }
}
