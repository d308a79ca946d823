#if Server
import Cofferdam
import CofferdamPages
import CofferdamSupport
import CofferdamUpgrade

/// The forms for a holder who may change upgrades. Each has a token that only this server's pages have, and an id,
/// so that submitting it twice makes one change.
struct ConsoleForms: Sendable {
    let token: String
    let makeID: @Sendable () -> String
    /// What users lose when their calls go back to the legacy side; nil if nothing.
    let costOfGoingBack: String?
    /// The move that was refused, with the reason that was entered, to be offered again.
    var draft: (move: String, reason: String)?

    func markup(for upgrade: ConsoleUpgrade) -> Markup {
        let status = upgrade.status
        var forms = [stop(status)]
        if status.kill != nil { forms.append(resume(status)) }
        if status.next != nil, status.kill == nil { forms.append(step(status)) }
        if status.stage > .legacyOnly || status.kill != nil { forms.append(back(upgrade)) }
        forms.append(overriding(upgrade))
        if let other = upgrade.otherPlan { forms.append(replan(status, other)) }
        return """
            <section id="controls" aria-labelledby="controls-title"><h2 id="controls-title">What you can do</h2>
            \(forms)</section>
            """
    }

    // MARK: The moves

    private func stop(_ status: CapabilityStatus) -> Markup {
        let who =
            switch status.connected?.all ?? 0 {
            case 0: "Connected devices obey"
            case 1: "1 connected device obeys"
            case let count: "\(count.grouped) connected devices obey"
            }
        let reach =
            status.arms == nil
            ? "\(who) within a second, the others at their next start."
            : "Each build has one side, so this moves no user: withdraw the builds of V2 as well."
        return form(
            "kill",
            "Stop",
            status,
            """
            <div class="buttons">
            <button class="bad" name="target" value="legacy">Send all users to V1 now</button>
            <button class="quiet" name="target" value="freeze">Stop where it is</button>
            </div>
            <p class="muted">\(reach)</p>
            \(cost)
            """
        )
    }

    private func resume(_ status: CapabilityStatus) -> Markup {
        form(
            "resume",
            "Lift the stop",
            status,
            """
            <p class="muted">\(status.afterStop)</p>
            <div class="buttons"><button class="quiet">Lift the stop</button></div>
            """
        )
    }

    private func step(_ status: CapabilityStatus) -> Markup {
        let (isReady, isFirst) = (status.gate.verdict == .promote, status.stage == .legacyOnly)
        let name = status.next?.words ?? ""
        // The brightest button is never the one that brings trouble back.
        let isBright = isReady || status.waitsFor == .advance && status.waiting == nil
        let move: Markup = isReady ? " formaction=\"\(Self.address(status, "promote"))\"" : ""
        let despite: Markup =
            isFirst
            ? "even if too few calls of V1 were counted" : "even if too little is known, or it speaks against V2"
        let gate: Markup =
            !isReady && (status.gate.decidesNextStep || isFirst)
            ? "<label><input type=\"checkbox\" name=\"despiteGate\" value=\"true\"/>\(despite)</label>" : ""
        return form(
            "advance",
            "Next step: \(name)",
            status,
            "<p class=\"muted\">\(status.afterStep ?? "")</p>\(gate)<div class=\"buttons\"><button\(isBright ? "" : " class=\"quiet\"" as Markup)\(move)>Go to: \(name)</button></div>"
        )
    }

    private func back(_ upgrade: ConsoleUpgrade) -> Markup {
        let status = upgrade.status
        let stages = upgrade.plan.stages.filter { $0 < status.stage }
        let options = stages.map { "<option value=\"\($0.rawValue)\">\($0.words)</option>" as Markup }
        let roll: Markup =
            stages.isEmpty
            ? ""
            : """
            <label for="rollback-to">Back to</label><select id="rollback-to" name="to">\(options)</select>
            """
        return form(
            "rollback",
            "Go back",
            status,
            """
            <p class="muted">Fewer users get V2, at once. Only a person can begin again.</p>
            \(cost)\(roll)<div class="buttons">
            \(stages.isEmpty ? "" : "<button class=\"quiet\">Go back</button>" as Markup)
            <button class="quiet" formaction="\(Self.address(status, "abort"))">Give up this attempt</button>
            </div>
            """
        )
    }

    private func overriding(_ upgrade: ConsoleUpgrade) -> Markup {
        let status = upgrade.status
        let names = (upgrade.decision?.operations ?? []).compactMap(\.name) + status.overrides.keys.sorted()
        let known = Set(names).sorted().map { "<option value=\"\($0)\"></option>" as Markup }
        let options = upgrade.plan.stages.map { "<option value=\"\($0.rawValue)\">\($0.words)</option>" as Markup }
        let form = form(
            "override",
            "One operation",
            status,
            """
            <p class="muted">Only this operation changes; all others stay where they are.</p>
            <label for="override-operation">Operation</label>
            <input id="override-operation" name="operation" list="operations" required="required" autocomplete="off"/>
            <datalist id="operations">\(known)</datalist>
            <label for="override-stage">Stage</label>
            <select id="override-stage" name="stage"><option value="">like all others</option>\(options)</select>
            <label><input type="checkbox" name="despiteGate" value="true"/>further than the others, even if too little is known</label>
            <div class="buttons"><button class="quiet">Set the stage</button></div>
            """
        )
        let isOpen: Markup = draft?.move == "override" ? " open=\"open\"" : ""
        return "<details\(isOpen)><summary>One operation by itself</summary>\n\(form)</details>\n"
    }

    private func replan(_ status: CapabilityStatus, _ difference: String) -> Markup {
        let form = form(
            "replan",
            "Plan",
            status,
            """
            <p class="muted">The upgrade follows the plan that it began with. This server's differs: \(difference). To follow it
            begins a new attempt: what was counted so far decides nothing.</p>
            <div class="buttons"><button class="quiet">Follow this server's plan</button></div>
            """
        )
        let isOpen: Markup = draft?.move == "replan" ? " open=\"open\"" : ""
        return "<details\(isOpen)><summary>Change the plan</summary>\n\(form)</details>\n"
    }

    // MARK: Parts

    private var cost: Markup { costOfGoingBack.map { "<p class=\"muted\">\($0)</p>\n" } ?? "" }

    private static func address(_ status: CapabilityStatus, _ move: String) -> String {
        "/capabilities/\(status.capability)/\(move)"
    }

    /// The reasons that a press fills in, with the script.
    private static func chips(for move: String) -> Markup {
        let reasons =
            switch move {
            case "advance": ["enough is known", "as planned", "drill"]
            case "resume": ["the cause is repaired", "false alarm", "drill"]
            case "replan": ["the plan has changed"]
            default: ["users report errors", "alert", "drill"]
            }
        return
            reasons
            .map { "<button type=\"button\" class=\"quiet\" data-reason=\"\($0)\">\($0)</button>" as Markup }.joined()
    }

    /// The moves without a form of their own, with the form that has a button for each.
    private static let homes = ["promote": "advance", "abort": "rollback"]

    private func form(_ move: String, _ title: String, _ status: CapabilityStatus, _ fields: Markup) -> Markup {
        let isDraft = draft.map { Self.homes[$0.move] ?? $0.move } == move
        let reason = isDraft ? draft?.reason ?? "" : ""
        return """
            <form id="form-\(move)" method="post" action="\(Self.address(status, move))"\
            \(isDraft ? " data-draft=\"data-draft\"" as Markup : "")>
            <input type="hidden" name="token" value="\(token)"/><input type="hidden" name="request" value="\(makeID())"/>
            <input type="hidden" name="seenStage" value="\(status.stage.rawValue)"/>
            <input type="hidden" name="seenRevision" value="\(status.revision ?? 0)"/>
            <fieldset><legend>\(title)</legend>
            <label for="\(move)-reason">Reason</label>
            <div class="chips">\(Self.chips(for: move))</div>
            <input id="\(move)-reason" name="reason" value="\(reason)" required="required" minlength="\(ChangeReason.minimum)" \
            maxlength="\(UpgradeRequestBody.maxReasonBytes)" \
            autocomplete="off"/>
            \(fields)
            </fieldset></form>

            """
    }
}
#endif
