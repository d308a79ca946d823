#if Server
import CofferdamContracts
import CofferdamDevice
import CofferdamPages
import CofferdamSupport
import CofferdamUpgrade

/// A run of the contract on its page: the verdict, the rules by family, one rule in detail, and why cases do not pass. What is chosen
/// is in the address, so that it needs no script.
struct ConsoleRules: Sendable {
    /// What is chosen on the page.
    struct Choice: Sendable, Hashable {
        /// Whether only the rules that are not green are shown.
        var isOnlyProblems = false
        /// The id of the rule that is shown in detail.
        var rule: String?
        /// The rules with these words are shown; empty for all.
        var words = ""
        /// The id of the run that the last one is compared with; nil for the one before.
        var since: String?

        init() {}

        init(_ query: [String: String]) {
            isOnlyProblems = query["show"] == "problems"
            rule = query["rule"]
            since = query["since"].flatMap { $0.isEmpty ? nil : $0 }
            words = String((query["words"] ?? "").replacing("+", with: " ").prefix(100))
        }
    }

    let name: String
    let document: ContractDocument
    /// What differs from an earlier run, as a sentence.
    let changes: String
    /// The earlier runs that can be compared with, newest first.
    let earlier: [Publication]
    let choice: Choice
    private let rules: [Rule]

    /// A rule with its rows.
    private struct Rule {
        var id: RuleID
        var title: String
        var level: RuleLevel
        var rows: [ContractReport.Row]

        /// "must", "should", "optional" or "experimental".
        var levelInWords: String { "\(level)" }
        var standing: FoldedStanding? { FoldedStanding(rows) }
        var isGreen: Bool { standing.map { $0.worst == .passed || $0.worst == .skipped } ?? false }
    }

    init(
        name: String,
        document: ContractDocument,
        changes: String = "",
        earlier: [Publication] = [],
        choice: Choice
    ) {
        (self.name, self.document, self.choice) = (name, document, choice)
        (self.changes, self.earlier) = (changes, earlier)
        let rows = Dictionary(grouping: document.report.rows, by: \.rule)
        rules = document.report.rules.map {
            Rule(id: $0.id, title: $0.title, level: $0.level, rows: rows[$0.id] ?? [])
        }
    }

    private var report: ContractReport { document.report }

    var markup: Markup {
        "\(head)\(detail)\(grid)\(reasons)\(verdictReasons)\(comparison)"
    }

    // MARK: The head, which stays

    private var head: Markup {
        let problems = rules.count { !$0.isGreen }
        let verdict =
            document.verdict.map { verdict -> Markup in
                let until = verdict.expires.map { " until \($0)" } ?? ""
                return PagePart.badge("may we upgrade: \(verdict.verdict.rawValue)\(until)", verdict.verdict.tone)
            } ?? ""
        let outcome = PagePart.badge(
            report.isGreen ? "contract: passes" : "contract: fails",
            report.isGreen ? .good : .bad
        )
        let links = [
            link("all \(rules.count) rules", isOnlyProblems: false),
            link("\(problems) not green", isOnlyProblems: true),
        ]
        return """
            <section class="head" aria-label="Outcome and filter">
            <p class="line">\(verdict)\(outcome)</p>
            <p>\(changes) <span class="muted">\(report.summary)</span></p>
            <form method="get" class="line">\(links)
            \(choice.isOnlyProblems ? "<input type=\"hidden\" name=\"show\" value=\"problems\"/>" as Markup : "")
            <label class="unseen" for="words">Search the rules</label>
            <input id="words" name="words" type="search" placeholder="Search the rules" value="\(choice.words)"/>
            \(runs)<button class="quiet">Show</button></form>
            </section>

            """
    }

    private func link(_ text: String, isOnlyProblems: Bool) -> Markup {
        var choice = Choice()
        (choice.isOnlyProblems, choice.since) = (isOnlyProblems, self.choice.since)
        let current: Markup = isOnlyProblems == self.choice.isOnlyProblems ? " aria-current=\"true\"" : ""
        return "<a href=\"\(address(choice))\"\(current)>\(text)</a>"
    }

    /// "2027-01-15 08:00:00 UTC".
    static func name(of run: Publication) -> String {
        ShownTime.date(millisecondsSince1970: run.at).replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    /// Chooses the run to compare with, if there are several.
    private var runs: Markup {
        guard earlier.count > 1 else { return "" }
        let options = earlier.enumerated().map { index, run -> Markup in
            let chosen: Markup = run.id == choice.since ? " selected=\"selected\"" : ""
            let name = index == 0 ? "since the last run" : "since \(Self.name(of: run)), by \(run.by)"
            return "<option value=\"\(index == 0 ? "" : run.id)\"\(chosen)>\(name)</option>"
        }
        return """
            <label class="unseen" for="since">Compare with</label><select id="since" name="since">\(options)</select>
            """
    }

    private func address(_ choice: Choice) -> Markup {
        var query: [String] = []
        if choice.isOnlyProblems { query.append("show=problems") }
        if let rule = choice.rule { query.append("rule=\(rule.percentEncoded)") }
        if let since = choice.since { query.append("since=\(since.percentEncoded)") }
        if !choice.words.isEmpty { query.append("words=\(choice.words.percentEncoded)") }
        let text = query.isEmpty ? "" : "?" + query.joined(separator: "&")
        return "/capabilities/\(name)/contracts\(text)"
    }

    // MARK: The rules

    private var shown: [Rule] {
        let words = choice.words.lowercased().split(separator: " ")
        return rules.filter { rule in
            if choice.isOnlyProblems, rule.isGreen { return false }
            let text = "\(rule.id) \(rule.title) \(rule.rows.compactMap(\.operation).joined(separator: " "))"
                .lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }

    /// A line for each family, with a cell for each rule that opens it.
    private var grid: Markup {
        let shown = shown
        var families: [String] = []
        for rule in shown where !families.contains(rule.id.family) { families.append(rule.id.family) }
        let lines = families.map { family -> Markup in
            let cells = shown.filter { $0.id.family == family }.map(cell)
            return "<div><dt>\(family)</dt><dd class=\"cells\">\(cells)</dd></div>\n"
        }
        let content: Markup =
            lines.isEmpty ? "<p class=\"muted\">No rule is like that.</p>" : "<dl class=\"families\">\n\(lines)</dl>"
        return PagePart.section("matrix", "Rules", content)
    }

    private func cell(_ rule: Rule) -> Markup {
        var opened = choice
        opened.rule = rule.id.rawValue
        let (before, number) = Self.parts(rule.id)
        let standing = rule.standing
        let current: Markup = choice.rule == rule.id.rawValue ? " aria-current=\"true\"" : ""
        return """
            <a class="\(tone(of: rule).rawValue)" href="\(address(opened))#rule"\(current)><span class="unseen">\(before)</span>\
            \(number) <span aria-hidden="true">\(standing?.worst.mark ?? "?")</span> \
            <span class="unseen">\(standing?.worst.word ?? "not run")</span></a>\u{20}
            """
    }

    /// "shop/LIST-" and "01".
    private static func parts(_ id: RuleID) -> (String, String) {
        guard let dash = id.rawValue.lastIndex(of: "-") else { return ("", id.rawValue) }
        let number = id.rawValue.index(after: dash)
        return (String(id.rawValue[..<number]), String(id.rawValue[number...]))
    }

    private func tone(of rule: Rule) -> Tone {
        let failures = rule.rows.filter(\.outcome.isFailure)
        if failures.contains(where: { report.deviation(of: $0) == nil }) { return .bad }
        if !failures.isEmpty || rule.standing?.worst == .notJudged { return .warn }
        return rule.standing.map { $0.worst == .passed ? .good : .muted } ?? .bad
    }

    /// The chosen rule: each operation on each adapter, and the reasons.
    private var detail: Markup {
        guard let rule = rules.first(where: { $0.id.rawValue == choice.rule }) else { return "" }
        let adapters = document.adapters
        var operations: [String?] = []
        for row in rule.rows where !operations.contains(row.operation) { operations.append(row.operation) }
        let rows = operations.map { operation -> [Markup] in
            ["\(operation ?? "all")"]
                + adapters.map { adapter in
                    let row = rule.rows.first { $0.operation == operation && $0.adapter == adapter }
                    return "\(row?.standing.mark ?? "?") \(row?.standing.word ?? "not run")"
                }
        }
        let table = PageTable("rule", ["Operation"] + adapters.map { PageTable.Column($0) }, rows).markup
        return PagePart.section(
            "rule",
            "\(rule.id.rawValue)",
            "<p>\(PagePart.text(rule.title)) <span class=\"muted\">\(rule.levelInWords)</span></p>\n\(table)\(Self.causes(of: rule.rows, report))"
        )
    }

    // MARK: Why

    private var reasons: Markup {
        let ids = Set(shown.map(\.id))
        let rows = report.rowsToExplain.filter { ids.contains($0.rule) }
        let (skipped, others) = (rows.filter { $0.standing == .skipped }, rows.filter { $0.standing != .skipped })
        let problems = PagePart.list(report.problems.map { "<strong class=\"bad\">run</strong> \(PagePart.text($0))" })
        let causes = Set(skipped.map(\.detail)).count
        let folded: Markup =
            skipped.isEmpty || choice.isOnlyProblems
            ? ""
            : """
            <details><summary>\(skipped.count.grouped) cases do not apply, for \(causes) reasons</summary>\
            \(Self.causes(of: skipped, report))</details>
            """
        let content = "\(problems)\(Self.causes(of: others, report))\(folded)" as Markup
        return content.description.isEmpty ? "" : PagePart.section("why", "Why", content)
    }

    /// How many causes are shown at first.
    private static let shownCauses = 6

    /// The reasons of rows that did not pass, each once with its cases, the most frequent first.
    private static func causes(of rows: [ContractReport.Row], _ report: ContractReport) -> Markup {
        let rows = rows.filter { $0.standing != .passed }
        let causes = Dictionary(grouping: rows) { "\($0.standing)\u{0}\($0.detail ?? "no reason given")" }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
            .map { cause(of: $0.value, report) }
        let (first, others) = (Array(causes.prefix(shownCauses)), Array(causes.dropFirst(shownCauses)))
        return "\(PagePart.list(first))\(folded("\(others.count) more", PagePart.list(others)))"
    }

    /// Content behind its summary; empty if there is none.
    private static func folded(_ summary: Markup, _ content: Markup) -> Markup {
        content.description.isEmpty ? "" : "<details><summary>\(summary)</summary>\(content)</details>"
    }

    private static func cause(of rows: [ContractReport.Row], _ report: ContractReport) -> Markup {
        guard let first = rows.first else { return "" }
        let known = report.deviation(of: first)
        let tone: Tone =
            first.standing == .skipped ? .muted : known != nil || first.standing == .notJudged ? .warn : .bad
        let cases = rows.map { "\($0.name) on \($0.adapter)" }.joined(separator: ", ")
        let names: Markup =
            rows.count > 3
            ? "<details><summary>\(rows.count.grouped) cases</summary>\(cases)</details>"
            : "<br/><small>\(cases)</small>"
        let note: Markup = known.map { " <em>\($0.note)</em>" } ?? ""
        return """
            <strong class="\(tone.rawValue)">\(first.standing.word)</strong> \
            \(PagePart.text(first.detail ?? "no reason given"))\(note)\(names)
            """
    }

    // MARK: Conclusions

    private var verdictReasons: Markup {
        guard let verdict = document.verdict else { return "" }
        let lines = verdict.reasons + verdict.notes
        guard !lines.isEmpty else { return "" }
        // A long line lists cases, which the grid shows too.
        let short = lines.indices.filter { lines[$0].utf8.count <= 120 }.prefix(4)
        let others = lines.indices.filter { !short.contains($0) }
        func list(_ places: some Sequence<Int>) -> Markup { PagePart.list(places.map { Markup(text: lines[$0]) }) }
        let content =
            "\(list(short))\(Self.folded("\(others.count) more", others.isEmpty ? "" : list(others)))" as Markup
        return PagePart.section("verdict", "May we upgrade?", content)
    }

    private var comparison: Markup {
        guard let comparison = document.comparison else { return "" }
        let facts = RuleVerdict.allCases.compactMap { verdict -> (name: String, value: Markup)? in
            let rules = comparison.rules(verdict)
            guard !rules.isEmpty else { return nil }
            let names = rules.joined(separator: ", ")
            let value: Markup =
                verdict == .passes || rules.count < 4
                ? "\(rules.count)\(verdict == .passes ? "" : ": \(names)")"
                : "<details><summary>\(rules.count)</summary>\(names)</details>"
            return (verdict.words, value)
        }
        return PagePart.section(
            "comparison",
            "\(comparison.legacy) → \(comparison.candidate)",
            PagePart.facts(facts)
        )
    }

    /// What the run is based on.
    var provenance: Markup {
        let facts = document.provenance.map { (name: $0.name, value: Markup(text: $0.value)) }
        return PagePart.section(
            "provenance",
            "Based on",
            Self.folded("The run's circumstances", PagePart.facts(facts))
        )
    }

    // MARK: Drift

    private struct DriftKind: Hashable {
        var tier: DriftTier
        var id: String?
        var call: String
        /// The field, whatever its place in a list.
        var field: String
    }

    /// The drifts by their id and field, the gravest first.
    static func drift(_ report: DriftReport) -> Markup {
        var order: [DriftKind] = []
        var kinds: [DriftKind: [DriftReport.Drift]] = [:]
        for drift in report.drifts {
            let field = drift.path.replacing(#/\[\d+\]/#, with: "[*]")
            let kind = DriftKind(tier: drift.tier, id: drift.id, call: drift.call, field: field)
            if kinds[kind] == nil { order.append(kind) }
            kinds[kind, default: []].append(drift)
        }
        func list(_ tiers: [DriftTier]) -> Markup {
            let items = tiers.flatMap { tier in order.filter { $0.tier == tier } }.map {
                item(of: $0, kinds[$0] ?? [], report)
            }
            return items.isEmpty ? "" : "<ul class=\"log\">\n\(items)</ul>"
        }
        let known = folded("Known differences", list([.info]))
        return PagePart.section("drift", "Drift", "<p>\(report.summary)</p>\n\(list([.error, .warn]))\(known)")
    }

    private static func item(of kind: DriftKind, _ drifts: [DriftReport.Drift], _ report: DriftReport) -> Markup {
        let example = drifts.first
        let times = drifts.count == 1 ? "" : ", \(drifts.count.grouped) times"
        let id = kind.id.map { " (\($0))" } ?? ""
        let tone: Tone = kind.tier == .error ? .bad : kind.tier == .warn ? .warn : .muted
        let why: Markup = example?.reason.map { "<p class=\"muted\">\(PagePart.text($0))</p>" } ?? ""
        return """
            <li><p><strong class="\(tone.rawValue)">\(kind.tier.rawValue)</strong> \
            \(PagePart.text([kind.call, kind.field].filter { !$0.isEmpty }.joined(separator: ", ")))\(id)\(times)</p>
            <p>\(report.legacy): \(example?.legacy.map(PagePart.text) ?? "nothing") → \(report.candidate): \
            \(example?.candidate.map(PagePart.text) ?? "nothing") \
            <span class="muted">\(example?.subject ?? "")</span></p>\(why)</li>

            """
    }
}
#endif
