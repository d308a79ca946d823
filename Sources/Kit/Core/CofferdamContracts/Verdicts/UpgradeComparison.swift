/// How a rule fares when one adapter replaces another.
package enum RuleVerdict: String, Sendable, Hashable, Codable, CaseIterable {
    /// Both pass.
    case passes
    /// Only the new one passes.
    case fixed
    /// Only the old one passes.
    case regressed
    case bothFail
    /// The rule was judged on one of them only, because a capability differs, or the harnesses' capabilities do.
    case notComparable
    /// Neither was run, or a row is missing.
    case notRun

    package init(legacy: ContractReport.Outcome?, candidate: ContractReport.Outcome?) {
        guard let legacy, let candidate else {
            self = .notRun
            return
        }
        switch (legacy, candidate) {
        case (.skipped, .skipped): self = .notRun
        case (.skipped, _), (_, .skipped): self = .notComparable
        case (.passed, .passed): self = .passes
        case (.passed, _): self = .regressed
        case (_, .passed): self = .fixed
        default: self = .bothFail
        }
    }
}

/// A comparison of two adapters in one report, by cases and capabilities.
package struct UpgradeComparison: Sendable, Hashable, Codable {
    /// The adapter in use.
    package var legacy: String
    /// The adapter that is to replace it.
    package var candidate: String
    /// In the order of the report.
    package var rows: [Row]
    /// What the candidate can do that the old adapter cannot, and the reverse.
    package var capabilities: CapabilityChanges

    /// One rule, on one operation, compared between the two adapters.
    package struct Row: Sendable, Hashable, Codable {
        /// The rule's id.
        package var rule: RuleID
        /// Nil if the rule is not about a single operation.
        var operation: String?
        var level: RuleLevel
        /// How the rule fares on the two.
        package var verdict: RuleVerdict
        /// What is wrong with the candidate, or why the rule was not run.
        var detail: String?
        /// The note of the known deviation that covers what the candidate shows.
        var known: String?
        /// Why it was skipped, on one of them or on both; nil if it ran on both.
        var skipped: String?
        /// Whether only a missing harness capability prevents judging it on one of them.
        var isUnjudged: Bool
        /// Whether it binds, the old one keeps it, and nothing is known of the candidate: it was skipped there for
        /// another reason than a lost capability, and no known deviation says so.
        var isUnproven: Bool
    }

    /// Compares the rows of two adapters of one report, by name.
    ///
    /// - Parameters:
    ///   - legacy: the adapter in use.
    ///   - candidate: the adapter that is to replace it.
    package init(_ report: ContractReport, from legacy: String, to candidate: String) {
        self.legacy = legacy
        self.candidate = candidate
        let index = RowIndex(report)
        let changes = CapabilityChanges(report, index, from: legacy, to: candidate)
        let lost = Set(changes.lost)
        capabilities = changes
        rows = report.allRules.flatMap { rule in
            rule.cases(on: candidate).map { id in
                let old = index.row(of: rule.id, id.operation, on: legacy)
                let new = index.row(of: rule.id, id.operation, on: candidate)
                let skipped = [old, new].compactMap(\.self).filter { $0.outcome == .skipped }
                let known = new.flatMap(report.deviation)?.note
                let isUnknown =
                    old?.outcome == .passed && new?.outcome == .skipped
                    && lost.isDisjoint(with: new?.missingCapabilities ?? [])
                return Row(
                    rule: rule.id,
                    operation: id.operation,
                    level: rule.level,
                    verdict: RuleVerdict(legacy: old?.outcome, candidate: new?.outcome),
                    detail: new?.detail,
                    known: known,
                    skipped: skipped.isEmpty
                        ? nil : skipped.map { $0.detail ?? "no reason on \($0.adapter)" }.joined(separator: "; "),
                    isUnjudged: skipped.contains { $0.standing == .notJudged },
                    isUnproven: isUnknown && rule.level != .should && known == nil
                )
            }
        }
    }

    /// Returns the rules with this verdict: "LIST-01", or "LIST-01 of animals" if another operation has another
    /// verdict.
    package func rules(_ verdict: RuleVerdict) -> [String] { names { $0.verdict == verdict } }

    func names(_ isIncluded: (Row) -> Bool) -> [String] { Self.names(rows.filter(isIncluded), counts) }

    /// Says of the rules what a text says of their rows, each text once: "CANC-07 is not comparable: …".
    func lines(_ text: (Row) -> String?) -> [String] {
        var (texts, rowsOf): ([String], [String: [Row]]) = ([], [:])
        for row in rows {
            guard let said = text(row) else { continue }
            if rowsOf[said] == nil { texts.append(said) }
            rowsOf[said, default: []].append(row)
        }
        let counts = counts
        return texts.map { said in
            let names = Self.names(rowsOf[said] ?? [], counts)
            return "\(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") \(said)"
        }
    }

    /// How many rows each rule has.
    private var counts: [RuleID: Int] { Dictionary(rows.map { ($0.rule, 1) }, uniquingKeysWith: +) }

    private static func names(_ rows: [Row], _ counts: [RuleID: Int]) -> [String] {
        Dictionary(grouping: rows, by: \.rule).sorted { $0.key < $1.key }.flatMap { rule, rows in
            rows.count == counts[rule] ? [rule.rawValue] : rows.map(\.name)
        }
    }
}

extension UpgradeComparison.Row {
    /// "LIST-01 of animals".
    var name: String { operation.map { "\(rule) of \($0)" } ?? rule.rawValue }
}

/// The differences between two adapters' capabilities.
package struct CapabilityChanges: Sendable, Hashable, Codable {
    /// Declared by the old one only.
    package var lost: [CapabilityTag]
    /// Declared by the new one only.
    package var gained: [CapabilityTag]
    package var kept: [CapabilityTag]
    /// Not declared by the new one, although all rules that require them passed when tried.
    package var proposed: [CapabilityTag]

    init(_ report: ContractReport, _ index: RowIndex, from legacy: String, to candidate: String) {
        func declared(by name: String) -> Set<CapabilityTag> {
            Set(report.adapters.first { $0.name == name }?.capabilities ?? [])
        }
        let (old, new) = (declared(by: legacy), declared(by: candidate))
        lost = old.subtracting(new).sorted()
        gained = new.subtracting(old).sorted()
        kept = old.intersection(new).sorted()
        proposed = Set(report.rules.flatMap(\.requires)).subtracting(new).sorted().filter { tag in
            let needing = report.rules.filter {
                $0.requires.contains(tag) && new.union([tag]).isSuperset(of: $0.requires)
            }
            let rows = needing.flatMap { index.rows(of: $0.id, on: candidate) }
            return !rows.isEmpty && rows.allSatisfy { $0.worksUndeclared == true }
        }
    }
}
