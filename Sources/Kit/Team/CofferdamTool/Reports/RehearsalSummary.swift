import Cofferdam
import CofferdamSupport
import CofferdamRehearsal

/// A rehearsal's report for people, a screen long: the adapters side by side, their differences, the contract, the walk of
/// the upgrade, and a verdict.
struct RehearsalSummary {
    let report: RehearsalReport
    let matrix: ContractMatrix
    /// Whether each rule, each reason and each stage's reason is shown.
    let isVerbose: Bool

    init(_ report: RehearsalReport, described tooling: Tooling, isVerbose: Bool = false) {
        self.report = report
        self.isVerbose = isVerbose
        matrix = ContractMatrix(report.contracts, described: tooling, detail: isVerbose ? .rules : nil)
    }

    func render(_ style: TerminalStyle) -> String {
        var parts = [steps(style)]
        parts += report.comparisons.map { comparison($0, style) }
        parts += [issues(style), isVerbose ? matrix.render(style) : matrix.summary(style)]
        parts += report.scenarios.map { ScenarioSummary($0, isVerbose: isVerbose).render(style) } + [verdict(style)]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var names: [String] { report.adapters.map(\.name) }

    /// A line for each step, with what came of it on the first adapter, or on the one where it failed.
    private func steps(_ style: TerminalStyle) -> String {
        var order: [String] = []
        for step in report.adapters.flatMap(\.steps) where !order.contains(step.name) { order.append(step.name) }
        var table = TextTable([.init("STEP")] + names.map { .init($0, .centre) } + [.init("")])
        for name in order {
            let steps = report.adapters.map { adapter in adapter.steps.first { $0.name == name } }
            let marks = steps.map { step in step.map { TextTable.Cell($0.outcome.mark, $0.outcome.colour) } ?? "" }
            let told = steps.compactMap(\.self).first { $0.outcome == .failed } ?? steps.compactMap(\.self).first
            table.add([.init(name)] + marks + [.init(told?.detail ?? "", told?.outcome.colour)])
        }
        return table.render(style)
    }

    /// "catalogue: 107 animals on v1, 107 on v2", and how they differ.
    private func comparison(_ comparison: RehearsalReport.Comparison, _ style: TerminalStyle) -> String {
        let counts = names.map { name in
            comparison.counts[name].map { "\($0.grouped) on \(name)" } ?? "none on \(name)"
        }
        let title = "\(comparison.name): \(comparison.unit), \(counts.joined(separator: ", "))"
        var text = title.escapedForTerminal + "\n" + expected(comparison.expected, style)
        let unexpected = comparison.unexpected
        guard !unexpected.isEmpty else {
            return text + style.apply(.green, to: "no unexpected difference") + "\n"
        }
        text += "\n"
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
        var text = ""
        for (kind, examples) in kinds.sorted(by: { $0.key < $1.key }) {
            let example =
                examples.first.map { "\($0.subject): \($0.legacy ?? "nothing") → \($0.candidate ?? "nothing")" } ?? ""
            let times = examples.count == 1 ? "once" : "\(examples.count.grouped) times"
            let line = "expected \(kind.id): \(kind.path) differs \(times) (\(example)), because \(kind.reason)"
            text += line.escapedForTerminal.wrapped(to: 78).enumerated().map {
                "\($0.offset == 0 ? "" : "  ")\($0.element)\n"
            }
            .joined()
        }
        return style.apply(.dim, to: String(text.dropLast())) + "\n"
    }

    private func issues(_ style: TerminalStyle) -> String {
        let all = names + report.issues.keys.filter { !names.contains($0) }.sorted()
        guard all.contains(where: { report.issues[$0]?.isEmpty == false }) else {
            return "issues of translation: none\n"
        }
        var table = TextTable([.init("ISSUES"), .init("CALL"), .init("WHERE"), .init("WHAT"), .init("RAW")])
        for name in all {
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
        guard !problems.isEmpty else {
            let sides = names.count == 2 ? ": \(names[1]) may replace \(names[0])" : ""
            return style.apply(.green, to: "rehearsal passed\(sides.escapedForTerminal)") + "\n"
        }
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
