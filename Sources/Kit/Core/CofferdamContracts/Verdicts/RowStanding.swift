/// A row's outcome as reports show it. It distinguishes a rule that could not be judged from one that does not apply.
package enum RowStanding: Sendable, Hashable, CaseIterable {
    // From good to bad.
    case passed, skipped, notJudged, failed, timedOut, crashed

    package var mark: String {
        switch self {
        case .passed: "✓"
        case .skipped: "–"
        case .notJudged: "?"
        case .failed: "✗"
        case .timedOut: "…"
        case .crashed: "!"
        }
    }

    package var word: String {
        switch self {
        case .passed, .skipped, .failed, .crashed: "\(self)"
        case .notJudged: "not judged"
        case .timedOut: "timed out"
        }
    }
}

extension ContractReport.Row {
    package var standing: RowStanding {
        switch outcome {
        case .passed: .passed
        case .skipped: missingHarnessCapabilities == nil ? .skipped : .notJudged
        case .failed: .failed
        case .timedOut: .timedOut
        case .crashed: .crashed
        }
    }
}

/// The result of a rule on one adapter, over all its operations.
package struct FoldedStanding: Sendable, Hashable {
    /// The worst standing: failed and not judged come before passed, and skipped is the worst only if every operation
    /// was skipped.
    package var worst: RowStanding
    /// How many operations have the worst standing.
    package var count: Int
    package var total: Int

    /// "✗ 2/9"; without numbers if all operations share the standing.
    package var mark: String { [worst.mark, part].compactMap(\.self).joined(separator: " ") }

    /// - Parameter rows: one for each operation.
    /// - Returns: nil if the rule was not run.
    package init?(_ rows: some Collection<ContractReport.Row>) {
        let standings = rows.map(\.standing)
        let order: [RowStanding] = [.crashed, .timedOut, .failed, .notJudged, .passed, .skipped]
        guard let worst = order.first(where: standings.contains) else { return nil }
        (self.worst, count, total) = (worst, standings.count { $0 == worst }, standings.count)
    }

    /// "2/9"; nil if all operations share the standing, or if the worst is `passed`.
    var part: String? { count == total || worst == .passed ? nil : "\(count)/\(total)" }
}

/// Why a rule did not pass, for one operation or several.
package struct Explanation: Sendable, Hashable {
    /// The first of the rows that it explains.
    package var row: ContractReport.Row
    package var operations: [String]

    /// "LIST-01 of animals, orders".
    package var name: String {
        operations.isEmpty ? row.rule.rawValue : "\(row.rule) of \(operations.joined(separator: ", "))"
    }
}

extension ContractReport {
    /// Nil if the rule was not run.
    package func standing(of rule: RuleID, on adapter: String) -> FoldedStanding? {
        FoldedStanding(rows(of: rule, on: adapter))
    }

    /// "12 passed, 1 skipped, 2 not judged".
    package var summary: String {
        let counts = Dictionary(rows.map { ($0.standing, 1) }, uniquingKeysWith: +)
        let text = RowStanding.allCases.compactMap { standing in counts[standing].map { "\($0) \(standing.word)" } }
        return text.isEmpty ? "nothing was run" : text.joined(separator: ", ")
    }

    /// The rows of everything that did not pass, worst first.
    package var rowsToExplain: [Row] {
        RowStanding.allCases.reversed().filter { $0 != .passed }.flatMap { standing in
            rows.filter { $0.standing == standing }
        }
    }

    /// The same rows, with the operations of a rule grouped if they share the reason.
    package var explanations: [Explanation] {
        rowsToExplain.reduce(into: []) { explanations, row in
            let index = explanations.firstIndex { explanation in
                let first = explanation.row
                return (first.rule, first.adapter) == (row.rule, row.adapter) && first.outcome == row.outcome
                    && first.detail == row.detail && first.operation != nil && row.operation != nil
            }
            if let index, let operation = row.operation {
                explanations[index].operations.append(operation)
            } else {
                explanations.append(Explanation(row: row, operations: row.operation.map { [$0] } ?? []))
            }
        }
    }
}
