import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// A verdict for people: the answer, the reasons, what else is worth knowing, and the evidence.
struct UpgradeSummary {
    let verdict: UpgradeVerdict
    let comparison: UpgradeComparison

    func render(_ style: TerminalStyle) -> String {
        [rules(style), capabilities(style), reasons(style), origins(style) + answer(style)].filter { !$0.isEmpty }
            .joined(
                separator: "\n"
            )
    }

    private func rules(_ style: TerminalStyle) -> String {
        var table = TextTable([
            .init("\(comparison.legacy) → \(comparison.candidate)"), .right("RULES"), .init("WHICH"),
        ])
        for verdict in RuleVerdict.allCases {
            let rules = comparison.rules(verdict)
            guard !rules.isEmpty else { continue }
            let shown = verdict == .passes ? "" : rules.joined(separator: ", ")
            table.add([.init(verdict.words, verdict == .regressed ? .red : nil), .init("\(rules.count)"), .init(shown)])
        }
        return table.isEmpty ? "" : table.render(style)
    }

    private func capabilities(_ style: TerminalStyle) -> String {
        var table = TextTable([.init("CAPABILITY"), .init("")])
        let changes = comparison.capabilities
        for tag in changes.lost { table.add([.init(tag.rawValue), .init("lost", .red)]) }
        for tag in changes.gained { table.add([.init(tag.rawValue), .init("gained", .green)]) }
        for tag in changes.proposed { table.add([.init(tag.rawValue), .init("works, but is not declared", .yellow)]) }
        for tag in changes.kept { table.add([.init(tag.rawValue), .init("kept", .dim)]) }
        return table.isEmpty ? "" : table.render(style)
    }

    private func reasons(_ style: TerminalStyle) -> String {
        verdict.reasons.map { "- \($0.escapedForTerminal)\n" }.joined()
            + verdict.notes.map { style.apply(.dim, to: "  \($0.escapedForTerminal)") + "\n" }.joined()
    }

    /// The other builds that ran.
    private func origins(_ style: TerminalStyle) -> String {
        [verdict.legacy, verdict.candidate].compactMap { $0?.origin }
            .map { style.apply(.dim, to: $0.escapedForTerminal) + "\n" }.joined()
    }

    private func answer(_ style: TerminalStyle) -> String {
        let colour: TerminalStyle.Colour =
            switch verdict.verdict {
            case .yes: .green
            case .no: .red
            case .unknown: .yellow
            }
        let until = verdict.expires.map { ", until \($0)" } ?? ""
        let contract = verdict.digest.isEmpty ? "" : ", contract \(verdict.digest.prefix(12))"
        return style.apply(colour, to: "can-upgrade: \(verdict.verdict.rawValue)\(until)\(contract)") + "\n"
    }
}
