import Cofferdam
import CofferdamUpgrade

/// One line of the audit log, as `history --json` prints it.
struct HistoryLine: Encodable, Sendable, Hashable {
    /// The entry's id.
    var entry: String
    /// RFC 3339.
    var at: String
    var capability: String
    /// "advance", "promote", "retreat", "ask", "rollback", "abort", "kill", "resume", "override", "allow", "disallow".
    var action: String
    /// For people: with what was asked for beside it.
    var what: String
    var by: String
    var reason: String
    /// What the gate had said, where it was asked.
    var verdict: GateVerdict?
    var before: AuditEntry.Position
    var after: AuditEntry.Position

    init(_ entry: AuditEntry) {
        self.entry = entry.id
        at = ShownTime.date(millisecondsSince1970: entry.request.at)
        capability = entry.capability
        action = entry.request.action.name
        what = entry.request.action.words + entry.dropped
        (by, reason) = (entry.request.by, entry.request.reason)
        verdict = entry.request.action.decision?.verdict
        (before, after) = (entry.before, entry.after)
    }

    /// "amara: advance: legacyOnly → shadow(10000), epoch 1, attempt 1"
    var sentence: String { "\(capability): \(what), by \(by): \(before.stage) → \(after.text)" }

    static func table(_ lines: [HistoryLine]) -> TextTable {
        var table = TextTable([
            .init("WHEN"), .init("ENTRY"), .init("CAPABILITY"), .init("WHO"), .init("WHAT"), .init("FROM"),
            .init("TO"), .init("VERDICT"), .init("WHY"),
        ])
        for line in lines {
            table.add([
                .init(line.at), .init(String(line.entry.prefix(8))), .init(line.capability), .init(line.by),
                .init(line.what), .init(line.before.stage.rawValue), .init(line.after.text),
                .init(line.verdict?.rawValue ?? "–", line.verdict?.colour), .init(line.reason),
            ])
        }
        return table
    }
}

extension AuditEntry.Position {
    var text: String {
        let kill = kill.map { ", killed to \($0.rawValue)" } ?? ""
        let named = named.map { ", \($0) named\(holdsNamedBack == true ? ", held back" : "")" } ?? ""
        return "\(stage), epoch \(epoch), attempt \(attempt)\(kill)\(named)"
    }
}

extension AuditEntry {
    /// The operations that lost their own stage by it, without being named.
    fileprivate var dropped: String {
        if case .override = request.action { return "" }
        let lost = (before.overrides ?? [:]).filter { after.overrides?[$0.key] == nil }
        let texts = lost.sorted { $0.key < $1.key }.map { ", \($0.key) no more at \($0.value)" }
        return texts.joined()
    }
}

extension UpgradeAction {
    /// What was asked for, for people.
    fileprivate var words: String {
        switch self {
        case .advance(despiteGate: true): "advance despite the gate"
        case .rollBack(let stage): "rollback to \(stage)"
        case .kill(let target): "kill \(target.rawValue)"
        case .override(let operation, let stage): "override \(operation): \(stage?.rawValue ?? "none")"
        case .allow(let units), .disallow(let units): "\(name) \(NamedUnits.shown(units))"
        case .advance, .promote, .retreat, .ask, .abort, .resume, .measure, .recount: name
        }
    }
}
