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
    /// The action for people, with its arguments and the overrides that it removed.
    package var what: String
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
        (by, reason) = (entry.request.by, entry.request.reason)
        verdict = entry.request.action.decision?.verdict
        (before, after) = (entry.before, entry.after)
    }

    /// "catalogue: advance, by amara: legacyOnly → shadow(10000), epoch 1, attempt 1".
    package var sentence: String { "\(capability): \(what), by \(by): \(before.stage) → \(after.text)" }
}

extension AuditEntry.Position {
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
        let texts = lost.sorted { $0.key < $1.key }.map { ", \($0.key) no longer at \($0.value)" }
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
}
