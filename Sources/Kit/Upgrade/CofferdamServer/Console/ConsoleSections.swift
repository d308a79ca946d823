#if Server
import Cofferdam
import CofferdamPages
import CofferdamUpgrade

/// The sections of an upgrade's page.
struct ConsoleSections: Sendable {
    let upgrade: ConsoleUpgrade

    private var status: CapabilityStatus { upgrade.status }
    private var decision: Decision? { upgrade.decision }

    // MARK: Where it is

    var stage: Markup {
        var facts: [(name: String, value: Markup)] = [
            ("Share", "\(status.stage.percent ?? "–")"), ("For", "\(upgrade.age)"),
            ("Epoch", "\(status.epoch)"), ("Attempt", "\(status.attempt)"),
        ]
        if let plan = status.plan { facts.append(("Plan", "\(plan)")) }
        if let since = status.since { facts.append(("Since", Self.time(since, isShort: true))) }
        return PagePart.section(
            "stage",
            "Stage",
            """
            <p class="line">\(upgrade.badges.joined())</p>
            \(upgrade.headline)\(status.kill.map(Self.banner) ?? "")\(notes)
            <p>\(status.stage.meaning)</p>
            \(PagePart.track("Stages of the plan", upgrade.steps))
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
            <p>Last change: <strong>\(last.what)</strong> by \(PagePart.text(last.by)), \(Self.time(last.at))<br/>\
            <span class="muted">\(PagePart.text(last.reason))</span></p>
            """
    }

    static func banner(_ kill: KillSwitch) -> Markup {
        """
        <div class="notice \(kill.target == .freeze ? "warn" : "bad")"><p><strong>Kill switch: \(kill.words)</strong>, \
        by \(PagePart.text(kill.by)): \(PagePart.text(kill.reason))</p></div>
        """
    }

    /// "2026-11-22 05:38:54 UTC", from a time of RFC 3339; without the seconds if `isShort`.
    static func time(_ text: String, isShort: Bool = false) -> Markup {
        let clock = text.replacing("T", with: " ").replacing("Z", with: "")
        let shown = (isShort ? String(clock.prefix(16)) : clock) + " UTC"
        return "<time datetime=\"\(text)\">\(shown)</time>"
    }

    // MARK: The next step

    var nextStep: Markup {
        var facts: [(name: String, value: Markup)] = [
            ("Next stage", "\(status.next?.words ?? "none: the end of the plan")"),
            ("Waits for", "\(status.waitsFor.words)"),
        ]
        if status.gate.decidesNextStep, let more = status.gate.moreCleanUnits {
            facts.append(("Clean units still needed", "\(more)"))
        }
        if let readiness = upgrade.readiness { facts.append(("Enough units", "\(readiness)")) }
        let bar: Markup =
            upgrade.bar.map {
                "<div class=\"line\">\($0)<span>\(Self.evidence(status.gate.logEvidence, status.gate.threshold))</span></div>"
            } ?? ""
        var remarks = status.gate.remarks + status.gate.gaps.map { "Missing evidence: \($0)" }
        if status.gate.isKept == false {
            remarks.append("Units are counted again after a restart, so a person must promote.")
        }
        if let freeze = status.freeze { remarks.append("Nothing is promoted during the freeze window \(freeze).") }
        if let steps = status.releaseSteps { remarks.append(steps) }
        return PagePart.section(
            "next",
            "What the next step needs",
            """
            \(bar)\(PagePart.facts(facts))
            \(PagePart.list(upgrade.reasons.map { Markup(text: $0) }))
            \(remarks.map { "<p class=\"muted\">\($0)</p>" as Markup })
            """
        )
    }

    private static func evidence(_ value: Double?, _ threshold: Double?) -> String {
        guard let value, let threshold else { return "–" }
        return "ln E \(value.shown(2)) of \(threshold.shown(2))"
    }

    // MARK: Evidence

    var evidence: Markup {
        let content: Markup
        if let decision, status.gate.hasUnits, let operations = decision.operations {
            let rows = operations.map { Self.row($0, decision) + latencies(of: $0) }
            content = PageTable("evidence", Self.columns + latencyColumns, rows).markup
        } else {
            content = "<p class=\"muted\">No unit has reported in this epoch yet.</p>"
        }
        return PagePart.section("evidence", "Evidence for each operation", content)
    }

    private static let columns: [PageTable.Column] = [
        "Operation", "Evidence against threshold", .number("Failed"), .number("Settled"), .number("Open"),
        .number("Missing"), .number("Ready in"), "Judged",
    ]

    private static func row(_ operation: DecidedOperation, _ decision: Decision) -> [Markup] {
        let test = decision.test(of: operation)
        let evidence: Markup =
            test.map { test in
                "\(bar(test))\(Self.evidence(test.value, test.threshold))"
            } ?? "–"
        return [
            operation.name.map(PagePart.name) ?? "all together", evidence, "\(operation.begun.failures)",
            "\(operation.settled.total)", "\(max(0, operation.begun.total - operation.settled.total))",
            "\(operation.missing.map(String.init) ?? "–")", "\(operation.timeLeft ?? "–")",
            "\(operation.judgement.words)",
        ]
    }

    private static func bar(_ test: Decision.TestResult) -> Markup {
        PagePart.bar(test.weakest, of: test.threshold, reached: test.role == .promote ? .good : .bad)
    }

    /// All tests and limits of the gate.
    var tests: Markup {
        guard let decision, status.gate.hasUnits, !decision.tests.isEmpty else { return "" }
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
        return PagePart.section(
            "tests",
            "Tests and limits of the gate",
            PageTable("tests", columns, tests + limits).markup
        )
    }

    private static func percent(_ share: Double) -> String { "\((share * 100).shown(2)) %" }

    /// The metric's name.
    private static func named(_ metric: Metric) -> Markup { PagePart.name(metric.rawValue) }

    // MARK: Counts

    /// The counts of each side's calls and of the shadow's comparisons, over all operations.
    var counts: Markup {
        guard let decision, status.gate.hasUnits else { return "" }
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
        return PagePart.section(
            "counts",
            "Answers, latency and comparisons",
            PageTable("counts", columns, rows).markup
        )
    }

    // MARK: Switches

    var switches: Markup {
        let overrides = status.overrides.sorted { $0.key < $1.key }
            .map { "\(PagePart.name($0.key)) stays at \($0.value.words)" as Markup }
        var facts: [(name: String, value: Markup)] = [
            ("Kill switch", "\(status.kill?.words ?? "not set")"),
            ("Overrides", overrides.isEmpty ? "none" : PagePart.list(overrides)),
            (
                "Freeze windows",
                upgrade.freezes.isEmpty
                    ? "none" : PagePart.list(upgrade.freezes.map { "\($0)\($0 == status.freeze ? ": now" : "")" })
            ),
        ]
        if let named = status.named {
            let names = NamedUnits.shown(named.units)
            let text = named.text(at: status.stage, kill: status.kill?.target)
            facts.append(("Named units", "\(text)<br/><small class=\"muted\">\(names)</small>"))
        }
        return PagePart.section("switches", "Switches", PagePart.facts(facts))
    }
}

extension DecidedOperation.Judgement {
    var words: String {
        switch self {
        case .fully: "fully"
        case .rollbackOnly: "by its failures only"
        case .notJudged: "not by itself"
        case .notCalled: "not called"
        }
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
