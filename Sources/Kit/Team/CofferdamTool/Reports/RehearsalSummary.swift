import Cofferdam
import CofferdamSupport
import CofferdamRehearsal

/// A rehearsal's report for people: the adapters side by side, their differences, the matrix, and a verdict.
struct RehearsalSummary {
    let report: RehearsalReport
    let matrix: ContractMatrix

    init(_ report: RehearsalReport, described tooling: Tooling) {
        self.report = report
        matrix = ContractMatrix(report.contracts, described: tooling)
    }

    func render(_ style: TerminalStyle) -> String {
        var parts = [steps(style)]
        for comparison in report.comparisons { parts += [counts(comparison, style), differences(comparison, style)] }
        parts += [issues(style), matrix.render(style)]
        parts += report.scenarios.map { ScenarioSummary($0).render(style) } + [verdict(style)]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var names: [String] { report.adapters.map(\.name) }

    private func steps(_ style: TerminalStyle) -> String {
        var order: [String] = []
        for step in report.adapters.flatMap(\.steps) where !order.contains(step.name) { order.append(step.name) }
        var table = TextTable([.init("STEP")] + names.map { .init($0) })
        for name in order {
            let cells = report.adapters.map { adapter in
                adapter.steps.first { $0.name == name }.map { step in
                    TextTable.Cell("\(step.outcome.mark) \(step.detail)", step.outcome.colour)
                } ?? ""
            }
            table.add([.init(name)] + cells)
        }
        return table.render(style)
    }

    private func counts(_ comparison: RehearsalReport.Comparison, _ style: TerminalStyle) -> String {
        var table = TextTable([.init(comparison.name.uppercased())] + names.map { .right($0) })
        table.add([.init(comparison.unit)] + names.map { .init(comparison.counts[$0].map(String.init) ?? "none") })
        return table.render(style)
    }

    private func differences(_ comparison: RehearsalReport.Comparison, _ style: TerminalStyle) -> String {
        var text = expected(comparison.expected, style)
        let unexpected = comparison.unexpected
        guard !unexpected.isEmpty else {
            return text + style.apply(.green, to: "no unexpected difference") + "\n"
        }
        if !text.isEmpty { text += "\n" }
        var table = TextTable([.init("UNEXPECTED"), .init("FIELD"), .init(names.first ?? ""), .init(names.last ?? "")])
        for difference in unexpected.prefix(Self.shown) {
            table.add([
                .init(difference.subject, .red), .init(difference.path), .init(difference.legacy ?? "nothing"),
                .init(difference.candidate ?? "nothing"),
            ])
        }
        text += table.render(style)
        if unexpected.count > Self.shown { text += "and \(unexpected.count - Self.shown) more\n" }
        return text
    }

    /// A line for each reason, with the first example.
    private func expected(_ differences: [RehearsalReport.Difference], _ style: TerminalStyle) -> String {
        guard !differences.isEmpty else { return "" }
        let kinds = Dictionary(grouping: differences) {
            ExpectedKind(id: $0.id ?? "", path: $0.path, reason: $0.reason ?? "")
        }
        var table = TextTable([.init("EXPECTED"), .init("FIELD"), .right("TIMES"), .init("EXAMPLE"), .init("WHY")])
        for (kind, examples) in kinds.sorted(by: { $0.key < $1.key }) {
            let example =
                examples.first.map { "\($0.subject): \($0.legacy ?? "nothing") → \($0.candidate ?? "nothing")" } ?? ""
            table.add([
                .init(kind.id, .dim), .init(kind.path), .init("\(examples.count)"), .init(example),
                .init(kind.reason, .dim),
            ])
        }
        return table.render(style)
    }

    private func issues(_ style: TerminalStyle) -> String {
        var table = TextTable([.init("ISSUES"), .init("CALL"), .init("WHERE"), .init("WHAT"), .init("RAW")])
        for name in names + report.issues.keys.filter({ !names.contains($0) }).sorted() {
            let issues = report.issues[name] ?? []
            if issues.isEmpty { table.add([.init(name), .init("none", .dim)]) }
            for issue in issues.prefix(Self.shown) {
                table.add([
                    .init(name), .init(issue.operation), .init(issue.path),
                    .init("\(issue.severity): \(issue.what)", .yellow),
                    .init(issue.raw),
                ])
            }
            if issues.count > Self.shown {
                table.add([.init(name), .init("and \(issues.count - Self.shown) more", .dim)])
            }
        }
        return table.render(style)
    }

    private func verdict(_ style: TerminalStyle) -> String {
        let problems = report.problems
        guard !problems.isEmpty else { return style.apply(.green, to: "rehearsal passed") + "\n" }
        return style.apply(.red, to: "rehearsal: \(problems.joined(separator: "; ").escapedForTerminal)") + "\n"
    }

    /// The maximum number listed of a kind; JSON has all of them.
    private static let shown = 20
}

private struct ExpectedKind: Hashable, Comparable {
    let id: String
    let path: String
    let reason: String

    static func < (a: Self, b: Self) -> Bool { (a.id, a.path, a.reason) < (b.id, b.path, b.reason) }
}

extension RehearsalReport.Step.Outcome {
    fileprivate var mark: String {
        switch self {
        case .passed: "✓"
        case .failed: "✗"
        case .skipped: "–"
        }
    }

    fileprivate var colour: TerminalStyle.Colour? {
        switch self {
        case .passed: nil
        case .failed: .red
        case .skipped: .dim
        }
    }
}
