/// A row as people are shown it: its outcome, and what could not be judged apart from what does not apply.
package enum RowStanding: Sendable, Hashable, CaseIterable {
    // From good to bad.
    case kept, skipped, notJudged, violated, timedOut, crashed

    package var mark: String {
        switch self {
        case .kept: "✓"
        case .skipped: "–"
        case .notJudged: "?"
        case .violated: "✗"
        case .timedOut: "…"
        case .crashed: "!"
        }
    }

    package var word: String {
        switch self {
        case .kept, .skipped, .violated, .crashed: "\(self)"
        case .notJudged: "not judged"
        case .timedOut: "timed out"
        }
    }
}

extension ContractReport.Row {
    package var standing: RowStanding {
        switch outcome {
        case .passed: .kept
        case .skipped: missingHarnessCapabilities == nil ? .skipped : .notJudged
        case .violated: .violated
        case .timedOut: .timedOut
        case .crashed: .crashed
        }
    }
}

/// What came of a rule on one adapter, over all its operations.
package struct FoldedStanding: Sendable, Hashable {
    /// What failed, or could not be judged, before what was kept; skipped only where every operation was.
    package var worst: RowStanding
    /// Of how many operations that is so.
    package var count: Int
    package var total: Int

    /// "✗ 2/9"; without the numbers where it is so of all of them.
    package var mark: String { [worst.mark, part].compactMap(\.self).joined(separator: " ") }

    /// "2/9"; nil where it is so of all of them, and where nothing is worse than kept.
    var part: String? { count == total || worst == .kept ? nil : "\(count)/\(total)" }
}

/// Why something is not simply kept, of one operation or of several.
package struct Explanation: Sendable, Hashable {
    /// The first of them.
    package var row: ContractReport.Row
    package var operations: [String]

    /// "LIST-01 of animals, orders".
    package var name: String {
        operations.isEmpty ? row.rule.rawValue : "\(row.rule) of \(operations.joined(separator: ", "))"
    }
}

extension ContractReport {
    /// Nil: nothing was run of it.
    package func standing(of rule: RuleID, on adapter: String) -> FoldedStanding? {
        let standings = rows(of: rule, on: adapter).map(\.standing)
        let order: [RowStanding] = [.crashed, .timedOut, .violated, .notJudged, .kept, .skipped]
        guard let worst = order.first(where: standings.contains) else { return nil }
        return FoldedStanding(worst: worst, count: standings.count { $0 == worst }, total: standings.count)
    }

    /// "12 kept, 1 skipped, 2 not judged".
    package var summary: String {
        let counts = Dictionary(rows.map { ($0.standing, 1) }, uniquingKeysWith: +)
        let text = RowStanding.allCases.compactMap { standing in counts[standing].map { "\($0) \(standing.word)" } }
        return text.isEmpty ? "nothing was run" : text.joined(separator: ", ")
    }

    /// The rows of everything that is not simply kept, worst first.
    package var rowsToExplain: [Row] {
        RowStanding.allCases.reversed().filter { $0 != .kept }.flatMap { standing in
            rows.filter { $0.standing == standing }
        }
    }

    /// The same, with the operations of a rule together that share their reason.
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
