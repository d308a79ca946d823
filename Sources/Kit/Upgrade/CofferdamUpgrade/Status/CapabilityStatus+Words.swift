import Cofferdam

extension CapabilityStatus {
    /// What is happening to users, in one sentence, including those whose window is still open; nil if V2 has failed for
    /// none.
    package var headline: String? {
        if let alarm = gate.alarm { return alarm.headline }
        guard let all = gate.operations.first(where: { $0.name == nil })?.begun, all.failures > 0 else { return nil }
        let verb: String
        switch stage.kind {
        case .shadow: verb = "answered differently"
        case .candidateShadowed: verb = "and the legacy side answered differently"
        case .canary, .arms, .candidateWithFallback, .candidateOnly: verb = "failed"
        case .legacyOnly, .aa: return nil
        }
        return "V2 \(verb) for \(all.failures) of \(all.total) users so far"
    }

    /// What a person should know besides the numbers, one line each.
    package var remarks: [String] {
        var lines: [String] = []
        if let kill { lines.append("killed to \(kill.target.rawValue) by \(kill.by): \(kill.reason)") }
        lines += notes ?? []
        if let releaseSteps { lines.append(releaseSteps) }
        for arm in arms ?? [] {
            let crossed = arm.crossed.map { ", \($0) more came from other builds" } ?? ""
            let counted = "\(arm.units) failed\(crossed)"
            lines.append("build \(arm.build), \(arm.side.rawValue): \(counted)")
        }
        for (operation, stage) in overrides.sorted(by: { $0.key < $1.key }) {
            lines.append("\(operation) has its own stage, \(stage)")
        }
        if let named { lines.append(named.text(at: stage, kill: kill?.target)) }
        if waitsFor != .nothing, gate.verdict != .promote, let reason = gate.words.first {
            lines.append(reason)
        }
        if let seconds = gate.secondsLeft, seconds > 0 {
            lines.append("enough units in \(ShownTime.span(seconds: Int64(seconds))) at today's rate")
        }
        if gate.isKept == false {
            lines.append("units count again after a restart, so a person must promote")
        }
        lines += gate.remarks
        lines += gate.gaps.map { "missing evidence: \($0)" }
        if gate.metric == nil, gate.decidesNextStep, let units = gate.moreCleanUnits {
            lines.append("nothing is counted yet; at least \(units) clean units are needed")
        }
        return lines
    }
}

extension CapabilityStatus.Awaited {
    /// The text for people, such as "a person: advance".
    package var words: String {
        switch self {
        case .resume: "a person: resume"
        case .advance: "a person: advance"
        case .promote: "promote"
        case .rollback: "rollback"
        case .evidence: "evidence"
        case .nothing: "–"
        }
    }
}
