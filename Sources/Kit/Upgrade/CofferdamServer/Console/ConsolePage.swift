#if Server
import Cofferdam
import CofferdamPages
import CofferdamUpgrade

/// The page of one upgrade. It works without the script, which only keeps it up to date.
struct ConsolePage: Sendable {
    /// The outcome of a form.
    enum Notice: Sendable {
        case done(HistoryLine)
        /// In force, and not stored yet.
        case inForce(UpgradeRequest)
        case refused(String, [String])
    }

    let upgrade: ConsoleUpgrade
    let contracts: ConsoleContracts
    /// The growth of its evidence; nil before the first point.
    let series: EvidenceSeries?
    /// Milliseconds since 1970.
    let now: Int64
    /// The number of audit log entries that it shows, and the maximum.
    let entries: Int
    let maxEntries: Int
    var notice: Notice?
    /// The forms; nil for a holder who may only read.
    var forms: ConsoleForms?

    static let kind = Page.Kind.served(style: "/style.css", script: "/console.js")
    private static let breadcrumbs: Markup = "<nav aria-label=\"Place\"><a href=\"/\">All upgrades</a></nav>\n"

    var html: String {
        let sections = ConsoleSections(upgrade: upgrade)
        let address = "/capabilities/\(upgrade.name)?history=\(entries)"
        let chart = ConsoleChart(upgrade: upgrade, series: series, now: now)
        let controls = forms.map { $0.markup(for: upgrade) }
        return Page(
            Self.kind,
            title: "\(upgrade.name): \(upgrade.status.inBrief)",
            heading: upgrade.name,
            navigation: Self.breadcrumbs,
            subtitle: Self.news(now),
            mainAttributes: " data-page=\"\(address)\" data-capability=\"\(upgrade.name)\"",
            content: """
                \(Self.notice(notice))
                <div class="console\(controls == nil ? "" : " sided")">
                \(sections.stage)
                \(controls ?? "")
                \(sections.progress)
                \(sections.connecting)
                \(chart.failures)
                \(sections.operations)
                \(sections.remarks)
                \(sections.exceptions)
                \(sections.breakers)
                \(sections.samples)
                \(contracts.summary)
                \(sections.mathematics(chart.evidence))
                \(ConsoleLog(upgrade: upgrade, entries: entries, maxEntries: maxEntries).markup)
                </div>
                """
        )
        .html()
    }

    /// How current the page is. The script updates this text.
    private static func news(_ now: Int64) -> Markup {
        let time = ShownTime.date(millisecondsSince1970: now)
        return """
            <p class="muted" id="live" role="status">As of \(ConsoleSections.time(time)). \
            Reload the page for later changes.</p>
            """
    }

    private static func notice(_ notice: Notice?) -> Markup {
        switch notice {
        case nil: "<div id=\"notice\" hidden=\"hidden\"></div>"
        case .done(let line):
            """
            <div id="notice" class="notice good" role="status" tabindex="-1"><p><strong>Done: \(line.inWords)</strong></p>
            <p>\(ConsoleLog.transition(line)), by \(PagePart.text(line.by)), \
            \(ConsoleSections.time(line.at)): \(PagePart.text(line.reason))</p></div>
            """
        case .inForce(let request):
            """
            <div id="notice" class="notice warn" role="status" tabindex="-1"><p><strong>In force: \(request.action.plainWords)\
            </strong></p><p>by \(request.by): \(request.reason). It is not stored yet, and stored as soon as that is
            possible: keep this server running.</p></div>
            """
        case .refused(let message, let reasons):
            """
            <div id="notice" class="notice bad" role="alert" tabindex="-1">\
            <p><strong>Nothing was changed: \(message)</strong></p>\
            \(PagePart.list(reasons.map { Markup(text: $0) }))</div>
            """
        }
    }

    // MARK: Other pages

    /// The page for a request that is refused before there is another page to show the refusal.
    ///
    /// - Parameter isRead: whether the request was for a page, and would have changed nothing.
    static func refusal(_ message: String, _ reasons: [String], isRead: Bool) -> String {
        let content: Markup =
            isRead
            ? "<p>\(message)</p>\(PagePart.list(reasons.map { Markup(text: $0) }))"
            : notice(.refused(message, reasons))
        return Page(
            kind,
            title: isRead ? "Not shown" : "Refused",
            heading: isRead ? "This page cannot be shown" : "Refused",
            navigation: breadcrumbs,
            content: "<section>\(content)</section>"
        )
        .html()
    }

    /// The page with all upgrades.
    static func overview(_ upgrades: [ConsoleUpgrade], now: Int64) -> String {
        Page(
            kind,
            title: "Upgrades",
            heading: "Upgrades",
            subtitle: news(now),
            mainAttributes: " data-page=\"/\"",
            content: """
                <div class="console">
                \(groups(upgrades))
                \(ConsoleLog.overview(upgrades))
                </div>
                """
        )
        .html()
    }

    /// The upgrades in groups: those that need a person first.
    private static func groups(_ upgrades: [ConsoleUpgrade]) -> Markup {
        let groups = Dictionary(grouping: upgrades, by: \.group)
        return ConsoleUpgrade.Group.allCases.compactMap { group -> Markup? in
            guard let members = groups[group] else { return nil }
            return """
                <h2 class="group">\(group.rawValue) <small class="muted">\(members.count)</small></h2>
                <div class="cards">
                \(members.sorted { $0.name < $1.name }.map(card))</div>

                """
        }
        .joined()
    }

    private static func card(_ upgrade: ConsoleUpgrade) -> Markup {
        PagePart.section(
            "upgrade-\(upgrade.name)",
            "<a href=\"/capabilities/\(upgrade.name)\">\(upgrade.name)</a>",
            """
            <p class="line">\(upgrade.badges.joined())</p>
            \(upgrade.situation)\(PagePart.track("Steps of \(upgrade.name)", upgrade.steps, isShort: true))
            """
        )
    }
}
#endif
