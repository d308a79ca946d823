import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

extension DecisionReport {
    func render(_ style: TerminalStyle) -> String {
        var text = head
        guard let decision else { return text + explanation.escapedForTerminal + "\n" }
        text += decision.explanation(style) + EvidenceGaps.text(gaps) + "\n"
        if let releaseSteps { text += style.apply(.red, to: releaseSteps.escapedForTerminal) + "\n" }
        if !matchesCurrentPlan { text += "Today's plan has another gate at this stage.\n" }
        guard entry != nil else { return text }
        if contradictions.isEmpty {
            return text + style.apply(.green, to: "Recomputed: the record follows from its own numbers.") + "\n"
        }
        text += style.apply(.red, to: "Recomputed: the record contradicts itself.") + "\n"
        for contradiction in contradictions { text += "  \(contradiction.escapedForTerminal)\n" }
        return text
    }

    /// Who did what, when and why.
    private var head: String {
        guard let entry else { return "" }
        return "\(entry.at) \(entry.sentence.escapedForTerminal)\n\(entry.reason.escapedForTerminal)\n\n"
    }
}
