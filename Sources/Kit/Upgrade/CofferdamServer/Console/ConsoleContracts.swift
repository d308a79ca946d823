#if Server
import Cofferdam
import CofferdamContracts
import CofferdamPages
import CofferdamUpgrade
import Foundation

/// A team's published reports for a capability: as a summary on the capability's page, and as a separate page with
/// the saved report and its history.
struct ConsoleContracts: Sendable {
    let name: String
    let reports: PublishedReports
    /// Milliseconds since 1970.
    let now: Int64

    // MARK: Summary

    var summary: Markup {
        PagePart.section(
            "contracts",
            "Contracts and drift",
            """
            <p class="line">\(badges)</p>
            \(table)\(PagePart.facts(facts))
            <p><a href="/capabilities/\(name)/contracts">Rules, operations and drift</a></p>
            """
        )
    }

    private var badges: [Markup] {
        guard let document = reports.document else { return [PagePart.badge("no contracts", .muted)] }
        let isGreen = document.report.isGreen
        let contract = PagePart.badge("contract: \(isGreen ? "passes" : "fails")", isGreen ? .good : .bad)
        guard let verdict = document.verdict else { return [contract] }
        let until = verdict.verdict == .yes ? verdict.expires.map { " until \($0)" } ?? "" : ""
        return [
            contract,
            PagePart.badge("may we upgrade: \(verdict.verdict.rawValue)\(until)", verdict.verdict.tone),
        ]
    }

    private var table: Markup {
        guard !reports.ruleCounts.isEmpty else { return "" }
        let rows = reports.ruleCounts.map { counts -> [Markup] in
            [
                "\(counts.adapter)", "\(counts.passed)", "\(counts.failed)", "\(counts.known)",
                "\(counts.notJudged)", "\(counts.skipped)", "\(counts.notRun)",
            ]
        }
        let columns: [PageTable.Column] = [
            "Adapter", .number("Rules passed"), .number("Failed"), .number("Known to fail"),
            .number("Not judged"), .number("Skipped"), .number("Not run"),
        ]
        return PageTable("contracts", columns, rows).markup
    }

    private var facts: [(name: String, value: Markup)] {
        var facts: [(name: String, value: Markup)] = []
        if let date = reports.document?.report.stamp?.date { facts.append(("Run on", "\(date)")) }
        facts.append(("Contracts published", published(reports.contracts)))
        if let drift = reports.drift?.content { facts.append(("Drift", "\(drift.summary)")) }
        facts.append(("Drift published", published(reports.drift)))
        return facts
    }

    /// "2 d 3 h ago, by ci".
    private func published<Content>(_ item: PublishedReports.Item<Content>?) -> Markup {
        guard let item else { return "never" }
        let age = ShownTime.span(seconds: (now - item.publication.at) / 1_000)
        let unreadable = Self.unreadable(item)
        return "\(age) ago, by \(PagePart.text(item.publication.by))\(unreadable)"
    }

    private static func unreadable<Content>(_ item: PublishedReports.Item<Content>) -> String {
        item.content == nil ? "; this server cannot read it: publish it again" : ""
    }

    // MARK: The page

    /// "2027-01-15 08:00:00 UTC, by ci": the page is kept, so it does not say how long ago that was.
    private func origin<Content>(_ item: PublishedReports.Item<Content>?) -> Markup {
        guard let item else { return "never" }
        let at = ConsoleSections.time(ShownTime.date(millisecondsSince1970: item.publication.at))
        return "\(at), by \(PagePart.text(item.publication.by))\(Self.unreadable(item))"
    }

    /// - Parameters:
    ///   - log: the last publications, newest first.
    ///   - before: the run to compare the last one with; nil if there is none.
    func page(_ log: [Publication], _ choice: ConsoleRules.Choice, since before: EarlierReport?) -> String {
        let breadcrumbs: Markup = """
            <nav aria-label="Place"><a href="/">All upgrades</a>, <a href="/capabilities/\(name)">\(name)</a></nav>

            """
        let subtitle: Markup = """
            <p class="muted">Contracts published: \(origin(reports.contracts)). \
            Drift published: \(origin(reports.drift)).</p>
            """
        let drift = reports.drift?.content.map { ConsoleRules.drift($0) } ?? ""
        let rules = reports.document.map {
            ConsoleRules(
                name: name,
                document: $0,
                changes: changes(since: before),
                earlier: reports.earlier,
                choice: choice
            )
        }
        return Page(
            ConsolePage.kind,
            title: "Contracts of \(name)\(reports.document.map { ": \($0.report.summary)" } ?? "")",
            heading: "Contracts of \(name)",
            navigation: breadcrumbs,
            subtitle: subtitle,
            content: "\(rules?.markup ?? Self.nothing)\(drift)\(rules?.provenance ?? "")\n\(publications(log))"
        )
        .html()
    }

    private func changes(since before: EarlierReport?) -> String {
        guard let before, let now = reports.contracts?.content else {
            return "There is no earlier run to compare with."
        }
        let isLast = before.publication == reports.earlier.first
        let run = isLast ? "the last run" : "the run of \(ConsoleRules.name(of: before.publication))"
        guard let report = try? JSONDecoder().decode(ContractReport.self, from: Data(before.json)) else {
            return "Not compared with \(run): this server cannot read its report."
        }
        let changes = ContractChanges(from: report, to: now)
        return "Since \(run): \(changes.newlyPassing) newly passing, \(changes.newlyFailing) newly failing."
    }

    private static let nothing = PagePart.section(
        "matrix",
        "Rules and adapters",
        """
        <p class="muted">No run of the contract has been published yet. Your team's tool publishes one: \
        <code>contracts --publish</code>.</p>
        """
    )

    /// Who published what, and when.
    private func publications(_ log: [Publication]) -> Markup {
        guard !log.isEmpty else { return "" }
        let rows = log.map { publication -> [Markup] in
            [
                ConsoleSections.time(ShownTime.date(millisecondsSince1970: publication.at)),
                "\(publication.kind.rawValue)", PagePart.text(publication.by), "\(publication.size)",
                "<code>\(publication.sha256.prefix(12))</code>",
            ]
        }
        let columns: [PageTable.Column] = ["Published", "Report", "By", .number("Bytes"), "SHA-256"]
        return PagePart.section(
            "publications",
            "Publications",
            "<details><summary>\(log.count) last</summary>\(PageTable("publications", columns, rows).markup)</details>"
        )
    }
}

extension UpgradeVerdict.Answer {
    var tone: Tone {
        switch self {
        case .yes: .good
        case .no: .bad
        case .unknown: .warn
        }
    }
}
#endif
