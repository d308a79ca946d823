#if Server
import Cofferdam
import CofferdamPages
import CofferdamUpgrade

/// The audit log. Each entry unfolds to its decision, which is recomputed.
struct ConsoleLog: Sendable {
    let upgrade: ConsoleUpgrade
    let entries: Int
    let maxEntries: Int

    var markup: Markup {
        let items = upgrade.entries.map { Self.item($0, upgrade.plan) }
        let all: Markup =
            upgrade.entries.count < entries || entries >= maxEntries
            ? "" : "<p><a href=\"/capabilities/\(upgrade.name)?history=\(maxEntries)#log\">Earlier changes</a></p>"
        return PagePart.section("log", "Audit log", "\(Self.list(items))\(all)")
    }

    /// The last changes of all upgrades.
    static func overview(_ upgrades: [ConsoleUpgrade]) -> Markup {
        let entries = upgrades.flatMap { upgrade in upgrade.entries.map { ($0, upgrade.plan) } }
            .sorted { $1.0.request.at < $0.0.request.at }
        let items = entries.prefix(20).map { item($0.0, $0.1, isNamed: true) }
        return PagePart.section("log", "Audit log", list(items))
    }

    private static func list(_ items: [Markup]) -> Markup {
        items.isEmpty ? "<p class=\"muted\">Nothing has been changed yet.</p>" : "<ul class=\"log\">\n\(items)</ul>"
    }

    /// "V2 in the background → 20 % on V2", or the stage if it did not change.
    static func transition(_ line: HistoryLine) -> String {
        let (before, after) = (line.before.inWords, line.after.inWords)
        return before == after ? "at \(after)" : "\(before) → \(after)"
    }

    private static func item(_ entry: AuditEntry, _ plan: UpgradePlan, isNamed: Bool = false) -> Markup {
        let line = HistoryLine(entry)
        return """
            <li id="entry-\(entry.id)"><details><summary><span class="line">\
            \(isNamed ? "<strong>\(entry.capability):</strong>" as Markup : "")<strong>\(line.inWords)</strong><span>\(transition(line))</span>\
            <span class="muted">\(PagePart.text(line.by)), \(ConsoleSections.time(line.at))</span></span></summary>
            \(explanation(DecisionReport(entry, plan: plan), of: line))</details>
            <p>\(PagePart.text(line.reason))</p></li>

            """
    }

    private static func explanation(_ report: DecisionReport, of line: HistoryLine) -> Markup {
        let after: Markup = "<p class=\"muted\">Afterwards: \(line.after.text)</p>"
        guard report.decision != nil else {
            return "\(after)<p>The gate was not asked: \(PagePart.text(line.by)) decided.</p>"
        }
        let other: Markup =
            report.matchesCurrentPlan ? "" : "<p class=\"warn\">Today's plan has another gate at this stage.</p>"
        let check: Markup =
            report.contradictions.isEmpty
            ? "<p class=\"good\">✓ Recomputed: the record follows from its own numbers.</p>"
            : """
            <p class="bad">✗ Recomputed: the record contradicts itself.</p>\
            \(PagePart.list(report.contradictions.map { Markup(text: $0) }))
            """
        let text = PagePart.preformatted(report.explanation, label: "The decision of \(line.at)")
        return "\(after)\(text)\(check)\(other)"
    }
}
#endif
