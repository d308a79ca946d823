import Cofferdam
import CofferdamGate
import CofferdamSupport

/// What an upgrade means for users now, and what happens next, in sentences for people on call. The console, the
/// terminal and the webhooks show the same ones.
package struct Situation: Encodable, Sendable, Hashable {
    package enum Tone: String, Sendable, Hashable, Codable, CaseIterable {
        /// V2 hurts users, or a person stopped it.
        case trouble
        /// A person must act.
        case waiting
        /// The upgrade goes on by itself, or is at its end.
        case calm
    }

    package var tone: Tone
    /// Who uses which version, and for how many it failed: "5 % of users are on V2. 4 of 6,031 had a failure (0.07 %); on
    /// V1 102 of 116,000 (0.09 %)."
    package var now: String
    /// The reason that a person gave for the switch that is in force; nil without one.
    package var reason: String?
    /// What happens next, and who or what it needs: "Next: 50 % on V2, after 668 more users without a failure."
    package var next: String

    package init(_ status: CapabilityStatus) {
        now = status.present
        reason = status.kill?.reason
        next = status.future
        tone = status.tone
    }
}

extension CapabilityStatus {
    /// What an upgrade means for users now, and what happens next.
    package var situation: Situation { Situation(self) }

    /// The stage in force in a few words, for a title: "5 % on V2", "stopped: all on V1".
    package var inBrief: String {
        // A build has one side, whatever the switch says.
        arms != nil && kill?.isForced == true ? "stopped: builds must be withdrawn" : stage.inBrief(kill?.target)
    }

    fileprivate var tone: Situation.Tone {
        if kill != nil || gate.alarm != nil || gate.verdict == .rollBack { return .trouble }
        if news?.isMissing == true { return .waiting }
        return waiting != nil || [.advance, .promote].contains(waitsFor) && stage != .legacyOnly ? .waiting : .calm
    }

    // MARK: Now

    fileprivate var present: String {
        var sentences = (news.flatMap { $0.isMissing ? $0.warning : nil }).map { [$0] } ?? []
        if let kill {
            let who = kill.by
            switch kill.target {
            case .legacy where arms != nil:
                sentences.append("\(who) stopped V2, but each build has one side: no user has moved.")
            case .legacy: sentences.append("All users are on V1: \(who) stopped V2.")
            case .candidate where arms != nil:
                sentences.append("\(who) switched to V2, but each build has one side: no user has moved.")
            case .candidate: sentences.append("All users are on V2: \(who) switched to it.")
            case .freeze: sentences += ["\(who) stopped the upgrade where it is."] + shares
            }
        } else {
            if waiting == .rolledBack {
                sentences.append((stage.side == .legacy ? "V2 was withdrawn" : "V2 went back a step") + backward + ".")
            }
            if let alarm = gate.alarm {
                sentences.append(alarm.headline + ".")
            } else if gate.verdict == .rollBack {
                sentences.append("V2 hurts users.")
            }
            sentences += shares
        }
        return sentences.joined(separator: " ")
    }

    /// When V2 went back, by whom and why: " at 2026-11-29 08:44 UTC by the gate: 23 of 28 users had a failure on V2, all in
    /// `get`"; empty if that was not the last change.
    private var backward: String {
        guard let last, ["retreat", "rollback", "abort"].contains(last.action), last.after.epoch == epoch else {
            return ""
        }
        let time = last.at.replacing("T", with: " ").prefix(16)
        let who = last.verdict == nil ? last.by : "the gate"
        let why = last.reason.hasSuffix(".") ? String(last.reason.dropLast()) : last.reason
        return " at \(time) UTC by \(who): \(why)"
    }

    /// Who uses which version while no switch sends all users to one of them.
    private var shares: [String] {
        var exceptions = overrides.sorted { $0.key < $1.key }.filter { $0.value != stage }
            .map { "In `\($0.key)`: \($0.value.words)." }
        if let named, !named.units.isEmpty, !named.isHeldBack, stage < .candidateWithFallback {
            exceptions.append(
                "\(named.units.count.grouped) named \(named.units.count == 1 ? "user is" : "users are") on V2."
            )
        }
        let all = exceptions.isEmpty ? "All" : "All other"
        return exceptions + [Self.share(at: stage, all: all, isBegun: epoch > 0 || attempt > 1)]
            + [counts].compactMap { $0 }
    }

    private static func share(at stage: Stage, all: String, isBegun: Bool) -> String {
        switch stage {
        case .legacyOnly: "\(all) users are on V1.\(isBegun ? "" : " The upgrade has not begun.")"
        case .aa: "\(all) users are on V1, in two builds that are compared with each other."
        case .shadow(let sample) where sample == .all: "\(all) users are on V1; V2 is compared in the background."
        case .shadow: "\(all) users are on V1; V2 is compared in the background for \(stage.percent ?? "some") of them."
        case .canary: "\(stage.percent ?? "Some") of \(all.hasSuffix("other") ? "the other " : "")users are on V2."
        case .arms: "Builds with V2 are compared with builds with V1."
        case .candidateWithFallback: "\(all) users are on V2; where it fails, V1 answers."
        case .candidateShadowed: "\(all) users are on V2; V1 is compared for \(stage.percent ?? "some") of them."
        case .candidateOnly: "\(all) users are on V2."
        }
    }

    /// What was counted at this stage; nil if nothing was.
    private var counts: String? {
        guard let all = gate.operations.first(where: { $0.name == nil })?.begun, all.total > 0 else { return nil }
        switch stage {
        case .legacyOnly, .aa: return nil
        case .shadow, .candidateShadowed:
            return all.sentence("got another answer") + "."
        case .canary, .arms, .candidateWithFallback, .candidateOnly:
            let there = gate.legacy.map { "; on V1 \($0.inWords)" } ?? ""
            return all.sentence("had a failure on V2") + there + "."
        }
    }

    // MARK: Next

    /// What lifting the kill switch does; empty without one.
    package var afterStop: String {
        switch kill?.target {
        case .legacy: "Lifting the stop does not bring V2 back."
        case .candidate, .freeze: "Lifted, it continues with: \(stage.words)."
        case nil: ""
        }
    }

    /// What users get after the next step; nil at the end of the plan.
    package var afterStep: String? {
        next.map { "Afterwards: \(Self.share(at: $0, all: "all", isBegun: true))" }
    }

    fileprivate var future: String {
        switch kill?.target {
        case .legacy: return "V2 stays off until a person begins again. \(afterStop)"
        case .candidate: return "This stays so until a person lifts the switch. \(afterStop)"
        case .freeze: return "It goes neither on nor back by itself until a person lifts the stop. \(afterStop)"
        case nil: break
        }
        let step = next.map(\.words) ?? ""
        let window = freeze.map { " Nothing goes on during the freeze window \($0)." } ?? ""
        switch waitsFor {
        case .resume: return ""
        case .rollback: return "Next: V2 goes back, as the gate demands."
        case .nothing: return stage == .candidateOnly ? "The upgrade is done." : "This is the end of the plan."
        case .advance where waiting == .undecided:
            return "The gate's time is over without a decision. It waits for a person: on to \(step), or back."
        case .advance where waiting == .rolledBack:
            return "It waits for a person: see what happened, repair it, then begin again with \(step)."
        case .advance: return "It waits for a person. The next step: \(step).\(window)"
        case .promote:
            let person =
                gate.isKept == false ? " A person must confirm it, because users count twice after a restart." : ""
            return "Enough is known. Next: \(step).\(person)\(window)"
        case .evidence:
            let start = gate.hasUnits ? "" : "Nothing was counted yet. "
            guard let more = gate.moreCleanUnits, more > 0 else {
                return "\(start)Next: \(step), once enough is known.\(window)"
            }
            let what = stage.comparesAnswers ? "difference" : "failure"
            let time =
                gate.secondsLeft.flatMap { $0 > 0 ? ", in about \(ShownTime.span(seconds: Int64($0)))" : nil } ?? ""
            return "\(start)Next: \(step), after \(more.grouped) more users without a \(what)\(time).\(window)"
        }
    }
}

extension FailureCounts {
    /// "102 of 116,000 (0.09 %)".
    fileprivate var inWords: String {
        failures == 0 ? "none of \(total.grouped)" : "\(failures.grouped) of \(total.grouped) (\(percent))"
    }

    /// "102 of 116,000 had a failure (0.09 %)", at the beginning of a sentence.
    fileprivate func sentence(_ verb: String) -> String {
        failures == 0
            ? "None of \(total.grouped) \(verb)" : "\(failures.grouped) of \(total.grouped) \(verb) (\(percent))"
    }

    /// "23 (26 %)", for a column whose neighbour has the total.
    package var inShort: String { failures == 0 ? "0" : "\(failures.grouped) (\(percent))" }

    /// The share of failures with two significant digits: "0.07 %", "82 %".
    package var percent: String {
        guard failures > 0 else { return "0 %" }
        let share = Double(failures) / Double(max(1, total)) * 100
        let digits = share >= 10 ? 0 : share >= 1 ? 1 : share >= 0.01 ? 2 : 4
        let text = share.shown(digits)
        return "\(digits == 0 ? String(text.prefix { $0 != "." }) : text) %"
    }
}

extension DecidedOperation {
    /// Whether enough users called it, in words: "377 more users, 3 h".
    package var enough: String {
        switch judgement {
        case .notCalled: return "not called"
        case .notJudged: return "with all others"
        case .rollbackOnly: return "no; its failures count"
        case .fully:
            guard let missing else { return "not yet" }
            guard missing > 0 else { return "yes" }
            let time = secondsLeft.map { ", \(ShownTime.span(seconds: Int64($0)))" } ?? ""
            return "\(missing.grouped) more users\(time)"
        }
    }
}

extension Side {
    /// The name of its SDK for people on call.
    package var version: String { self == .legacy ? "V1" : "V2" }
}

extension KillSwitch.Target {
    /// What the switch does while it points there: "sends all users to V1".
    var effect: String {
        switch self {
        case .legacy: "sends all users to V1"
        case .candidate: "sends all users to V2"
        case .freeze: "holds the upgrade where it is"
        }
    }
}

extension Stage {
    /// Whether users are counted by how the two sides' answers differ, and not by V2's failures.
    package var comparesAnswers: Bool { kind == .shadow || kind == .candidateShadowed }

    /// "20 %"; nil for a stage without a share.
    package var percent: String? {
        switch self {
        case .shadow(let share), .canary(let share), .candidateShadowed(let share):
            share.tenThousandths.isMultiple(of: 100)
                ? "\(share.tenThousandths / 100) %" : "\((Double(share.tenThousandths) / 100).shown(2)) %"
        case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: nil
        }
    }

    /// What is in force while the switch points there: "5 % on V2", "stopped: all on V1".
    package func inBrief(_ kill: KillSwitch.Target?) -> String {
        switch kill {
        case .legacy: "stopped: all on V1"
        case .candidate: "switched: all on V2"
        case .freeze: "held: \(words)"
        case nil: words
        }
    }

    /// The stage in plain words: "5 % on V2".
    package var words: String {
        switch self {
        case .legacyOnly: "V1 only"
        case .aa: "V1 against itself"
        case .shadow: "V2 in the background"
        case .canary: "\(percent ?? "") on V2"
        case .arms: "builds of V1 and V2"
        case .candidateWithFallback: "all on V2, V1 steps in"
        case .candidateShadowed: "all on V2, compared with V1"
        case .candidateOnly: "V2 only"
        }
    }
}
