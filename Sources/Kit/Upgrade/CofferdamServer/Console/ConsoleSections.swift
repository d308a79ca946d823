#if Server
import Cofferdam
import CofferdamSupport
import CofferdamPages
import CofferdamUpgrade

/// The sections of an upgrade's page.
struct ConsoleSections: Sendable {
    let upgrade: ConsoleUpgrade

    private var status: CapabilityStatus { upgrade.status }
    private var decision: Decision? { upgrade.decision }

    // MARK: Where it is

    var stage: Markup {
        PagePart.section(
            "stage",
            "What users get",
            """
            <p class="line">\(upgrade.badges.joined())</p>
            \(upgrade.situation)\(notes)
            """
        )
    }

    /// Where it is in the plan, since when, and what was changed last.
    var progress: Markup {
        var facts: [(name: String, value: Markup)] = [("For", "\(upgrade.age)")]
        if let since = status.since { facts.append(("Since", Self.time(since, isShort: true))) }
        if status.attempt > 1 { facts.append(("Attempt", "\(status.attempt)")) }
        if let plan = status.plan { facts.append(("Plan", "\(plan)")) }
        facts.append(("Stage, for the tool", "<code>\(status.stage.rawValue)</code>"))
        return PagePart.section(
            "progress",
            "The way to V2",
            """
            \(PagePart.track("Steps of the plan", upgrade.steps))
            \(PagePart.facts(facts))
            \(last)
            """
        )
    }

    /// What keeps it from being stored or read as it should be.
    private var notes: Markup {
        let notes = (status.notes ?? []).map { "<p>\($0)</p>" as Markup }
        return notes.isEmpty ? "" : "<div class=\"notice warn\" role=\"status\">\(notes)</div>\n"
    }

    /// Who changed it last, and why.
    private var last: Markup {
        guard let last = status.last else { return "<p class=\"muted\">Nothing has been changed yet.</p>" }
        return """
            <p>Last change: <strong>\(last.inWords)</strong> by \(PagePart.text(last.by)), \(Self.time(last.at))<br/>\
            <span class="muted">\(PagePart.text(last.reason))</span></p>
            """
    }

    /// "2026-11-22 05:38:54 UTC", from a time of RFC 3339; without the seconds if `isShort`.
    static func time(_ text: String, isShort: Bool = false) -> Markup {
        let clock = text.replacing("T", with: " ").replacing("Z", with: "")
        let shown = (isShort ? String(clock.prefix(16)) : clock) + " UTC"
        return "<time datetime=\"\(text)\">\(shown)</time>"
    }

    // MARK: The next step

    /// What else decides on the next step; empty if nothing does.
    var remarks: Markup {
        var remarks = status.gate.remarks + status.gate.gaps.map { "Missing evidence: \($0)" }
        if status.gate.isKept == false {
            remarks.append("Users are counted again after a restart, so a person must confirm the next step.")
        }
        if let steps = status.releaseSteps { remarks.append(steps) }
        guard !remarks.isEmpty else { return "" }
        return PagePart.section("remarks", "Good to know", PagePart.list(remarks.map { Markup(text: $0) }))
    }

    private static func evidence(_ value: Double?, _ threshold: Double?) -> String {
        guard let value, let threshold else { return "–" }
        return "ln E \(value.shown(2)) of \(threshold.shown(2))"
    }

    // MARK: Evidence

    /// For how many users each operation failed on each side, and whether that is enough to decide.
    var operations: Markup {
        let content: Markup
        if let operations = decision?.operations, status.gate.hasUnits {
            content =
                PageTable("by-operation", columns + latencyColumns, operations.map { row($0) + latencies(of: $0) })
                .markup
        } else {
            content = "<p class=\"muted\">No user has been counted at this stage yet.</p>"
        }
        return PagePart.section("by-operation", "Operations", content)
    }

    private var isCompared: Bool { status.stage.comparesAnswers }

    private var columns: [PageTable.Column] {
        let failed = PageTable.Column.number(isCompared ? "Another answer" : "Failed on V2")
        let legacy: [PageTable.Column] = status.gate.legacyByOperation == nil ? [] : [.number("Failed on V1")]
        return ["Operation", .number("Users"), failed] + legacy + ["Enough to decide?"]
    }

    private func row(_ operation: DecidedOperation) -> [Markup] {
        let legacy = operation.name.map { status.gate.legacyByOperation?[$0] } ?? status.gate.legacy
        let cells: [Markup] = [
            operation.name.map(PagePart.name) ?? "all together", "\(operation.begun.total.grouped)",
            "\(operation.begun.inShort)",
        ]
        let there: [Markup] = status.gate.legacyByOperation == nil ? [] : ["\(legacy?.inShort ?? "–")"]
        return cells + there + ["\(operation.enough)"]
    }

    private static func bar(_ test: Decision.TestResult) -> Markup {
        PagePart.bar(test.weakest, of: test.threshold, reached: test.role == .promote ? .good : .bad)
    }

    /// The statistics that decide: the gate's reasons, tests and limits, and what they count.
    func mathematics(_ growth: Markup) -> Markup {
        let reasons = PagePart.list(upgrade.reasons.map { Markup(text: $0) })
        let tables = "\(tests)\(counts)\(growth)" as Markup
        guard status.gate.hasUnits, !(tables.description + reasons.description).isEmpty else { return "" }
        return PagePart.section(
            "mathematics",
            "Why the gate says so",
            "<details id=\"numbers\"><summary>The mathematics</summary>\n\(reasons)\(tables)</details>"
        )
    }

    /// All tests and limits of the gate.
    private var tests: Markup {
        guard let decision, !decision.tests.isEmpty else { return "" }
        let tests = decision.tests.map { test -> [Markup] in
            [
                PagePart.name(test.name), "\(Self.bar(test))\(Self.evidence(test.value, test.threshold))",
                "\(test.counts)",
                test.isReached ? PagePart.badge("reached", test.role == .promote ? .good : .bad) : "–",
                "\(test.role.words)", "\(test.metric.meaning ?? "")",
            ]
        }
        let limits = decision.ceilings.map { limit -> [Markup] in
            let numbers = "\(Self.percent(limit.value)) of \(Self.percent(limit.limit))"
            return [
                Self.named(limit.metric), "\(PagePart.bar(limit.value, of: limit.limit, reached: .bad))\(numbers)",
                "\(limit.counts)", limit.isExceeded ? PagePart.badge("above", .warn) : "–",
                "limit", "\(limit.metric.meaning ?? "")",
            ]
        }
        let columns: [PageTable.Column] = [
            "Metric", "Evidence against threshold", .number("Counted"), "Outcome", "Decides",
            .wide("What it counts"),
        ]
        return "<h3 id=\"tests\">Tests and limits</h3>\(PageTable("tests", columns, tests + limits).markup)"
    }

    private static func percent(_ share: Double) -> String { "\((share * 100).shown(2)) %" }

    /// The metric's name.
    private static func named(_ metric: Metric) -> Markup { PagePart.name(metric.rawValue) }

    // MARK: Counts

    /// The counts of each side's calls and of the shadow's comparisons, over all operations.
    private var counts: Markup {
        guard let decision else { return "" }
        let limits = decision.ceilings.map { ($0.metric, $0.limit) }
        let rows = decision.reading.metrics.filter {
            $0.key.operation == nil && !$0.key.includesOpenWindows && $0.value.total > 0
        }
        .sorted { $0.key.rawValue < $1.key.rawValue }
        .map { metric, counts -> [Markup] in
            let limit = limits.first { $0.0 == metric }?.1
            return [
                Self.named(metric), "\(counts.failures)", "\(counts.total)",
                "\(counts.rate.map(Self.percent) ?? "–")", "\(limit.map(Self.percent) ?? "–")",
                "\(metric.meaning ?? "")",
            ]
        }
        let columns: [PageTable.Column] = [
            "Metric", .number("Counted"), .number("Of"), .number("Share"), .number("At most"),
            .wide("What it counts"),
        ]
        return "<h3 id=\"counts\">Answers, latency and comparisons</h3>\(PageTable("counts", columns, rows).markup)"
    }

    // MARK: The first device

    /// How a device is connected, until the first counts arrive; empty after that.
    var connecting: Markup {
        guard status.stage == .legacyOnly, status.revision ?? 0 == 0, !status.gate.hasUnits else { return "" }
        let lines = """
            cofferdam-server token --name my-app --role device --tokens tokens.json

            let device = try DeviceUpgrades(server, directory: folder, salt: salt)
            let upgrade = try device.upgrade(
                "\(upgrade.name)", plan: .standard, failures: failures, legacy: { V1() }, candidate: { V2() }
            )
            await device.resume().value
            """
        return PagePart.section(
            "connecting",
            "Connect the first device",
            """
            <p>No device has reported yet. Make a token for the app, and in the app:</p>
            \(PagePart.preformatted(lines, label: "The token's command, and the app's code"))
            <p class="muted">The guide “Apps on a phone” of CofferdamDevice has the whole. This section goes when the first counts
            arrive.</p>
            """
        )
    }

    // MARK: Exceptions

    /// Operations and users with a stage of their own, and when nothing goes on; empty if there are none.
    var exceptions: Markup {
        var facts: [(name: String, value: Markup)] = []
        if !status.overrides.isEmpty {
            let operations = status.overrides.sorted { $0.key < $1.key }
                .map { "\(PagePart.name($0.key)): \($0.value.words)" as Markup }
            facts.append(("Operations with a stage of their own", PagePart.list(operations)))
        }
        if let named = status.named {
            let names = NamedUnits.shown(named.units)
            let text = named.text(at: status.stage, kill: status.kill?.target)
            facts.append(("Named users", "\(text)<br/><small class=\"muted\">\(names)</small>"))
        }
        if !upgrade.freezes.isEmpty {
            let windows = upgrade.freezes.map { "\($0)\($0 == status.freeze ? ": now" : "")" as Markup }
            facts.append(("Freeze windows", PagePart.list(windows)))
        }
        return facts.isEmpty ? "" : PagePart.section("exceptions", "Exceptions", PagePart.facts(facts))
    }
}

extension GateTest.Role {
    var words: String {
        switch self {
        case .promote: "promotion"
        case .rollBack: "rollback"
        case .veto: "veto"
        }
    }
}

extension Metric {
    /// The meaning, for people; nil for a metric of the app.
    var meaning: String? {
        let open = includesOpenWindows ? ", open windows too" : ""
        return Self.meanings[whole.withoutOpen].map { $0 + open }
            ?? Self.families.first { rawValue.hasPrefix($0.key) }.map { $0.value + open }
    }

    private var withoutOpen: String { includesOpenWindows ? String(rawValue.prefix { $0 != "+" }) : rawValue }

    private static let meanings = [
        "comparison": "units for which the sides disagree", "mismatches": "units with different answers",
        "uncounted": "sampled units that do not count", "noise": "the legacy side disagrees with itself",
        "pairedFailures": "only the candidate failed, of those with one failing side",
        "pairedSlow": "only the candidate was slow, of those with one slow side",
        "candidateFailures": "units of the candidate that failed",
        "canaryFailures": "of all units that failed, those of the canary",
        "canarySlow": "of all units with a slow call, those of the canary",
        "canaryGaveUp": "of all units that gave up waiting, those of the canary",
        "canaryUnseen": "of all units that were not heard of again, those of the canary",
        "activeUnits": "of all units, those of the canary", "slow": "units of the candidate with a slow call",
        "gaveUp": "units of the candidate that gave up waiting",
        "openings": "failed attempts to open the candidate",
        "legacyFailures": "units of the legacy side that failed before",
        "legacyGaveUp": "units of the legacy side that gave up before",
        "namedFailures": "named units that the candidate failed",
        "firstUnits": "of all units, those of the first build",
        "firstFailures": "units of the first build that failed",
    ]
    private static let families = [
        "expected.": "units with this expected difference",
        "canaryAnswers.": "of all units with this answer, those of the canary",
        "candidateAnswers.": "units of the candidate with this answer",
        "legacyAnswers.": "units of the legacy side with this answer before",
        "firstAnswers.": "of all units with this answer, those of the first build",
        "namedAnswers.": "named units with this answer",
    ]
}
#endif
