/// One entry of the audit log, as `history --json`, a server and its webhooks present it.
package struct HistoryLine: Codable, Sendable, Hashable {
    /// The entry's id.
    package var id: String
    /// The time, in RFC 3339.
    package var at: String
    package var capability: String
    /// "advance", "promote", "retreat", "ask", "rollback", "abort", "kill", "resume", "override", "allow", "disallow",
    /// "measure", "recount", "replan".
    package var action: String
    /// The action as the tool names it, with its arguments and the overrides that it removed.
    package var what: String
    /// The same in plain words; nil from a server of an older version.
    package var plain: String?
    package var by: String
    package var reason: String
    /// The gate's verdict; nil if the gate was not asked.
    package var verdict: GateVerdict?
    package var before: AuditEntry.Position
    package var after: AuditEntry.Position

    package init(_ entry: AuditEntry) {
        id = entry.id
        at = ShownTime.date(millisecondsSince1970: entry.request.at)
        capability = entry.capability
        action = entry.request.action.name
        what = entry.request.action.words + entry.dropped
        plain = entry.request.action.plainWords + entry.dropped
        (by, reason) = (entry.request.by, entry.request.reason)
        verdict = entry.request.action.decision?.verdict
        (before, after) = (entry.before, entry.after)
    }

    /// The action in plain words: "all users to V1".
    package var inWords: String { plain ?? what }

    /// "catalogue: all users to V1, by amara: 5 % on V2 → stopped: all on V1".
    package var sentence: String { "\(capability): \(inWords), by \(by): \(before.inWords) → \(after.inWords)" }
}

extension AuditEntry.Position {
    /// "5 % on V2", or what the kill switch does.
    package var inWords: String {
        let named = named.map {
            ", \($0) named \($0 == 1 ? "user" : "users")\(holdsNamedBack == true ? " held back" : "")"
        }
        return stage.inBrief(kill) + (named ?? "")
    }

    /// The text for people, such as "canary(500), epoch 3, attempt 1".
    package var text: String {
        let kill = kill.map { ", killed to \($0.rawValue)" } ?? ""
        let named = named.map { ", \($0) named\(holdsNamedBack == true ? ", held back" : "")" } ?? ""
        return "\(stage), epoch \(epoch), attempt \(attempt)\(kill)\(named)"
    }
}

extension AuditEntry {
    /// The text of the operations whose own stage this entry removed without naming them.
    fileprivate var dropped: String {
        if case .override = request.action { return "" }
        let lost = (before.overrides ?? [:]).filter { after.overrides?[$0.key] == nil }
        let texts = lost.sorted { $0.key < $1.key }.map { ", \($0.key) no longer at: \($0.value.words)" }
        return texts.joined()
    }
}

extension UpgradeAction {
    /// The action with its arguments, for people.
    fileprivate var words: String {
        switch self {
        case .advance(despiteGate: true): "advance despite the gate"
        case .rollBack(let stage): "rollback to \(stage)"
        case .kill(let target): "kill \(target.rawValue)"
        case .override(let operation, let stage, let despiteGate):
            "override \(operation): \(stage?.rawValue ?? "none")\(despiteGate ?? false ? " despite the gate" : "")"
        case .allow(let units), .disallow(let units): "\(name) \(NamedUnits.shown(units))"
        case .advance, .promote, .retreat, .ask, .abort, .resume, .measure, .recount, .replan: name
        }
    }

    /// The action in plain words.
    package var plainWords: String {
        switch self {
        case .advance(despiteGate: true): "next step despite the gate"
        case .advance: "next step"
        case .promote: "next step by the gate"
        case .retreat: "back by the gate"
        case .ask: "left to a person by the gate"
        case .rollBack: "back"
        case .abort: "attempt given up"
        case .kill(.legacy): "all users to V1"
        case .kill(.candidate): "all users to V2"
        case .kill(.freeze): "stop where it is"
        case .resume: "stop lifted"
        case .override(let operation, let stage, let despiteGate):
            stage.map { "\(operation) to: \($0.words)\(despiteGate ?? false ? ", despite the gate" : "")" }
                ?? "\(operation) like all others"
        case .allow(let units): "named users added: \(NamedUnits.shown(units))"
        case .disallow(let units): "named users removed: \(NamedUnits.shown(units))"
        case .measure: "baseline measured"
        case .recount: "counted again by newer rules"
        case .replan: "this server's plan"
        }
    }
}
