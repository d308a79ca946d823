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
            return PagePart.Step(stage.words, place)
        }
    }

    /// The upgrades of a person on call, the most urgent first.
    enum Group: String, CaseIterable, Hashable {
        case trouble = "Trouble"
        case waiting = "Waiting for you"
        case going = "On the way"
        case resting = "Not begun, or done"
    }

    var group: Group {
        switch status.situation.tone {
        case .trouble: .trouble
        case .waiting: .waiting
        case .calm: status.stage == .legacyOnly || status.next == nil ? .resting : .going
        }
    }

    /// What it means for users, and what happens next.
    var situation: Markup {
        let situation = status.situation
        let reason = situation.reason.map { "<p>Reason: \(PagePart.text($0))</p>\n" as Markup } ?? ""
        return """
            <p class="now \(situation.tone.pageTone.rawValue)">\(PagePart.text(situation.now))</p>
            \(reason)<p>\(PagePart.text(situation.next))</p>
            \(connected)
            """
    }

    /// How many connected devices have the last change. While some do not, the script asks every second.
    private var connected: Markup {
        guard let connected = status.connected, connected.all > 0, status.last != nil, status.arms == nil else {
            return ""
        }
        let counting: Markup = connected.isComplete ? "" : " data-counting=\"data-counting\""
        return "<p class=\"muted\"\(counting)>The last change: \(connected.sentence)</p>\n"
    }

    /// The stage and what is unusual, in a few words each.
    var badges: [Markup] {
        var badges = [PagePart.badge(status.inBrief, status.situation.tone.pageTone)]
        switch status.waiting {
        case .rolledBack: badges.append(PagePart.badge("went back", .warn))
        case .undecided: badges.append(PagePart.badge("no decision", .warn))
        case nil: break
        }
        if let breakerBadge { badges.append(breakerBadge) }
        if status.freeze != nil { badges.append(PagePart.badge("freeze window", .warn)) }
        return badges
    }

    /// The gate's reasons, for people; empty if a person decides the next step.
    var reasons: [String] { status.gate.decidesNextStep ? status.gate.words : [] }

    var age: String { status.ageSeconds.map { ShownTime.span(seconds: $0) } ?? "not begun" }
}

extension Situation.Tone {
    var pageTone: Tone {
        switch self {
        case .trouble: .bad
        case .waiting: .warn
        case .calm: .good
        }
    }
}
#endif
