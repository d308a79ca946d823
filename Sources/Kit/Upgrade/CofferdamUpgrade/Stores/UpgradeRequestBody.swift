/// A change that a person asks for: a certain action, a promotion, which depends on what the gate then says, or another
/// plan, which is that of the one who carries it out.
package enum RequestedChange: Sendable, Hashable {
    case certain(UpgradeAction)
    case promote
    case replan

    /// The name of the command, and the end of a server's address: "advance".
    package var name: String {
        switch self {
        case .certain(let action): action.name
        case .promote: "promote"
        case .replan: "replan"
        }
    }
}

extension RequestedChange {
    /// Whether it can send more users to the candidate, and so belongs to the state that its maker saw.
    package var isStepUp: Bool {
        switch self {
        case .promote, .certain(.advance), .certain(.kill(.candidate)): true
        case .certain(.override(_, let stage, _)): stage != nil
        case .certain, .replan: false
        }
    }

    /// Whether it sends users of the candidate back to the legacy side.
    package var sendsBack: Bool {
        switch self {
        case .certain(.kill(.legacy)), .certain(.rollBack), .certain(.abort): true
        case .certain, .promote, .replan: false
        }
    }

    /// See ``UpgradeAction/isStop``.
    package var isStop: Bool {
        switch self {
        case .certain(let action): action.isStop
        case .promote, .replan: false
        }
    }
}

/// The body of a request to a server for a change. The address says which change it is.
package struct UpgradeRequestBody: Codable, Sendable, Hashable {
    package var reason: String?
    package var despiteGate: Bool?
    package var to: String?
    package var target: String?
    package var operation: String?
    package var stage: String?
    package var clear: Bool?
    /// Confirms an override of an operation that no unit has called.
    package var unknown: Bool?
    /// Confirms a kill switch that sends every user to the candidate.
    package var everybodyToV2: Bool?
    /// The state on which the request is based. Each step up needs it.
    package var from: UpgradeRequest.Seen?

    /// The names of the changes that a server carries out, as in its addresses.
    package static let changes = ["advance", "promote", "rollback", "abort", "kill", "resume", "override", "replan"]

    /// Those of them that can stop an upgrade.
    package static let stops: Set = ["rollback", "abort", "kill"]

    package init() {}

    /// - Returns: nil for a change that a server does not make for a person.
    package init?(_ change: RequestedChange, reason: String, from seen: UpgradeRequest.Seen? = nil) {
        self.reason = reason
        from = seen
        guard case .certain(let action) = change else { return }
        switch action {
        case .advance(let despiteGate): if despiteGate { self.despiteGate = true }
        case .rollBack(let stage): to = stage.rawValue
        case .kill(let target):
            self.target = target.rawValue
            if target == .candidate { everybodyToV2 = true }
        case .override(let operation, let stage, let despiteGate):
            (self.operation, self.stage, self.despiteGate) = (operation, stage?.rawValue, despiteGate)
            if stage == nil { clear = true }
        case .abort, .resume: break
        case .promote, .retreat, .ask, .allow, .disallow, .measure, .recount, .replan: return nil
        }
    }
}
