#if Server
import Cofferdam
import CofferdamPages
import CofferdamUpgrade

/// One upgrade, as the console shows it.
struct ConsoleUpgrade: Sendable {
    let status: CapabilityStatus
    /// The gate's current decision; nil at a stage that the plan does not have.
    let decision: Decision?
    let plan: UpgradePlan
    /// Where this server's plan differs from that; nil if it does not.
    let otherPlan: String?
    /// Newest first.
    let entries: [AuditEntry]
    /// All freeze windows, for people.
    let freezes: [String]

    init(_ upgrade: HostedUpgrade, _ status: HostedUpgrade.Status) {
        (self.status, decision, entries) = (status.document, status.decision, status.entries)
        plan = upgrade.plan.following(status.state)
        otherPlan = upgrade.plan.difference(from: status.state)
        freezes = upgrade.store.freezes.windows.map(\.description)
    }

    var name: String { status.capability }

    /// The steps of the plan, and where the upgrade is.
    var steps: [PagePart.Step] {
        let stages = plan.stages.contains(status.stage) ? plan.stages : (plan.stages + [status.stage]).sorted()
        return stages.map { stage in
            let place: PagePart.Step.Place =
                stage < status.stage
                ? .passed : stage > status.stage ? .ahead : status.kill == nil ? .current : .halted
            return PagePart.Step(stage.kind.rawValue, detail: stage.percent ?? "", place)
        }
    }

    /// What is happening to users; empty if V2 has failed for none.
    var headline: Markup { status.headline.map { "<p><strong>\($0)</strong></p>\n" } ?? "" }

    /// The stage, the kill switch and the gate's verdict, in a few words each.
    var badges: [Markup] {
        var badges = [PagePart.badge(status.stage.words, status.kill == nil ? .accent : .muted)]
        if let kill = status.kill {
            badges.append(PagePart.badge(kill.words, kill.target == .freeze ? .warn : .bad))
        }
        if let waiting = status.waiting { badges.append(PagePart.badge(waiting.text, .warn)) }
        if let breakerBadge { badges.append(breakerBadge) }
        if status.freeze != nil { badges.append(PagePart.badge("freeze window", .warn)) }
        if status.gate.decidesNextStep, let verdict = status.gate.verdict {
            badges.append(PagePart.badge("gate: \(verdict.words)", verdict.tone))
        }
        return badges
    }

    /// The gate's reasons, for people; empty if a person decides the next step.
    var reasons: [String] { status.gate.decidesNextStep ? status.gate.words : [] }

    /// The evidence of the test that is furthest from its threshold, as a bar.
    var bar: Markup? {
        guard let value = status.gate.logEvidence, let threshold = status.gate.threshold else { return nil }
        return PagePart.bar(value, of: threshold)
    }

    /// "in 2 d 3 h at today's rate"; nil if that is unknown.
    var readiness: String? {
        guard let seconds = status.gate.secondsLeft, status.gate.decidesNextStep, status.gate.hasUnits else {
            return nil
        }
        return seconds > 0 ? "in \(ShownTime.span(seconds: Int64(seconds))) at today's rate" : "now"
    }

    var age: String { status.ageSeconds.map { ShownTime.span(seconds: $0) } ?? "not begun" }
}

extension Stage {
    /// "20 %"; nil for a stage without a share.
    var percent: String? {
        switch self {
        case .shadow(let share), .canary(let share), .candidateShadowed(let share):
            share.tenThousandths.isMultiple(of: 100)
                ? "\(share.tenThousandths / 100) %" : "\((Double(share.tenThousandths) / 100).shown(2)) %"
        case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: nil
        }
    }

    /// "canary, 20 %".
    var words: String { percent.map { "\(kind.rawValue), \($0)" } ?? kind.rawValue }

    /// What the stage means for users.
    var meaning: String {
        switch self {
        case .legacyOnly: "The legacy side answers every unit."
        case .aa: "Two builds of the legacy side are compared with each other."
        case .shadow: "The legacy side answers; a sample is compared with the candidate."
        case .canary: "The candidate answers this share of the units, the legacy side the others."
        case .arms: "Builds of the legacy side are compared with builds of the candidate."
        case .candidateWithFallback: "The candidate answers; the legacy side is its fallback."
        case .candidateShadowed: "The candidate answers; a sample is compared with the legacy side."
        case .candidateOnly: "The candidate answers every unit."
        }
    }
}

extension KillSwitch {
    /// "killed to legacy", "frozen".
    var words: String { target == .freeze ? "frozen" : "killed to \(target.rawValue)" }
}

extension GateVerdict {
    var tone: Tone {
        switch self {
        case .promote: .good
        case .hold: .accent
        case .rollBack: .bad
        case .undecided: .warn
        }
    }
}
#endif
