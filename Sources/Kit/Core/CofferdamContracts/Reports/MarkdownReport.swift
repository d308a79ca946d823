extension ContractDocument {
    /// Returns Markdown for a pull request: the verdict, the matrix, and the reason for everything that did not pass.
    package func markdown() -> String {
        var parts = ["## Contract: \(Self.escaped(name))", "\(report.isGreen ? "✅" : "❌") \(report.summary)"]
        if let verdict { parts.append(Self.text(of: verdict)) }
        if let comparison { parts.append(Self.text(of: comparison)) }
        parts += [matrix, reasons, problems, driftTable, facts]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static func text(of verdict: UpgradeVerdict) -> String {
        let until = verdict.expires.map { ", until \($0)" } ?? ""
        let lines = verdict.reasons + verdict.notes
        return (["### May we upgrade? **\(verdict.verdict.rawValue)**\(until)", ""] + lines.map { "- \(escaped($0))" })
            .joined(separator: "\n")
    }

    private static func text(of comparison: UpgradeComparison) -> String {
        let lines = RuleVerdict.allCases.map { verdict -> [String] in
            let rules = comparison.rules(verdict)
            let shown = verdict == .passes ? "" : rules.map(escaped).joined(separator: ", ")
            return [verdict.words, "\(rules.count)", shown]
        }
        return table(["\(comparison.legacy) → \(comparison.candidate)", "rules", "which"], lines)
    }

    private var matrix: String {
        let lines = rules.map { rule in
            let marks = adapters.map { report.standing(of: rule.id, on: $0)?.mark ?? "not run" }
            return [rule.id.rawValue, rule.level.rawValue] + marks + [rule.title]
        }
        return Self.table(["rule", "level"] + adapters + ["promise"], lines)
    }

    private var reasons: String {
        let lines = report.explanations.map { explanation in
            let row = explanation.row
            let known = report.deviation(of: row).map { "; " + $0.note } ?? ""
            let standing = "\(row.standing.mark) \(row.standing.word)"
            return [standing, explanation.name, row.adapter, (row.detail ?? "") + known]
        }
        return lines.isEmpty ? "" : Self.table(["", "rule", "adapter", "why"], lines)
    }

    private var problems: String {
        report.problems.isEmpty
            ? ""
            : (["**The run itself:**", ""] + report.problems.map { "- \(Self.escaped($0))" }).joined(separator: "\n")
    }

    private var driftTable: String {
        let lines = (drift?.drifts ?? []).map {
            [$0.tier.rawValue, $0.id ?? "", $0.place, $0.legacy ?? "", $0.candidate ?? "", $0.reason ?? ""]
        }
        return lines.isEmpty ? "" : Self.table(["drift", "id", "where", "old", "new", "why"], lines)
    }

    private var facts: String {
        (["<details><summary>Based on</summary>", ""]
            + provenance.map { "- \(Self.escaped($0.name)): \(Self.escaped($0.value))" } + ["", "</details>"])
            .joined(separator: "\n")
    }

    private static func table(_ titles: [String], _ lines: [[String]]) -> String {
        let all = [titles, titles.map { _ in "---" }] + lines.map { $0.map(escaped) }
        return all.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    /// Escapes untrusted text: no markup, no mentions, one line.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "!": result += "\\" + String(scalar)
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "@": result += "&#64;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

extension RuleVerdict {
    /// The verdict as reports show it.
    package var words: String {
        switch self {
        case .passes, .fixed, .regressed: rawValue
        case .bothFail: "both fail"
        case .notComparable: "not comparable"
        case .notRun: "not run"
        }
    }
}
