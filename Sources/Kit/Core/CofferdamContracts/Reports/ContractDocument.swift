/// A report with its conclusions, ready to be rendered for people and other tools.
package struct ContractDocument: Sendable, Hashable {
    var name: String
    package var report: ContractReport
    package var comparison: UpgradeComparison?
    package var verdict: UpgradeVerdict?
    /// Nil if no calls were compared.
    package var drift: DriftReport?

    /// Combines a report with the conclusions to show beside it.
    ///
    /// - Parameter name: the contract's owner, as the title shows it.
    package init(
        name: String,
        report: ContractReport,
        comparison: UpgradeComparison? = nil,
        verdict: UpgradeVerdict? = nil,
        drift: DriftReport? = nil
    ) {
        self.name = name
        self.report = report
        self.comparison = comparison
        self.verdict = verdict
        self.drift = drift
    }

    /// Combines a report with its conclusions on that day: how the two sides of its upgrade compare, and whether one
    /// may replace the other. There are none unless the report has both sides.
    package init(name: String, report: ContractReport, drift: DriftReport? = nil, today: CalendarDay) {
        self.init(name: name, report: report, drift: drift)
        let present = Set(report.rows.map(\.adapter))
        guard let path = report.upgrade ?? UpgradePath(among: report.adapters),
            present.isSuperset(of: [path.legacy, path.candidate])
        else { return }
        comparison = UpgradeComparison(report, from: path.legacy, to: path.candidate)
        verdict = UpgradeVerdict(report, from: path.legacy, to: path.candidate, today: today)
    }

    /// The adapters' names, in the order of the report.
    package var adapters: [String] {
        var names = report.adapters.map(\.name)
        for row in report.rows where !names.contains(row.adapter) { names.append(row.adapter) }
        return names.filter { name in report.declared.contains { $0.adapter == name } }
    }

    /// The rules that were to be run, in the order of the report.
    var rules: [RuleDescription] {
        let declared = Set(report.declared.map(\.rule))
        return report.allRules.filter { declared.contains($0.id) }
    }

    func title(of rule: RuleID) -> String { report.rules.first { $0.id == rule }?.title ?? "" }

    /// What the report is based on, as pairs of name and value.
    package var provenance: [(name: String, value: String)] {
        var facts = [("contract", report.digest)]
        if let stamp = report.stamp {
            facts += [
                ("fixtures", stamp.fixtures), ("system", stamp.os), ("toolchain", stamp.toolchain),
                ("date", stamp.date.description),
            ]
        }
        facts += report.adapters.map { adapter in
            let versions = [adapter.identity.version, adapter.identity.sdk].compactMap(\.self)
            let origin = adapter.origin.map { [$0] } ?? []
            return (adapter.name, ([adapter.identity.kind.rawValue] + versions + origin).joined(separator: ", "))
        }
        facts += report.certifications.map { certification in
            (
                "\(certification.fake) last passed",
                "\(certification.date) beside \(certification.live.joined(separator: ", ")), "
                    + "contract \(certification.digest)"
            )
        }
        return facts.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
    }
}

/// How the rules fare on one adapter. Each rule counts once, for all its operations.
package struct RuleCounts: Sendable, Hashable {
    package var adapter: String
    package var passed = 0
    package var failed = 0
    /// Fail, but only in ways that known deviations cover.
    package var known = 0
    package var notJudged = 0
    package var skipped = 0
    package var notRun = 0

    init(_ adapter: String) { self.adapter = adapter }
}

extension ContractDocument {
    /// The counts for each adapter, in the order of the report.
    package var ruleCounts: [RuleCounts] {
        let (rules, index) = (rules, RowIndex(report))
        return adapters.map { adapter in
            rules.reduce(into: RuleCounts(adapter)) { counts, rule in
                let rows = index.rows(of: rule.id, on: adapter)
                let failures = rows.filter(\.outcome.isFailure)
                if rows.isEmpty {
                    counts.notRun += 1
                } else if !failures.isEmpty {
                    let isKnown = failures.allSatisfy { report.deviation(of: $0) != nil }
                    if isKnown { counts.known += 1 } else { counts.failed += 1 }
                } else if rows.contains(where: { $0.standing == .notJudged }) {
                    counts.notJudged += 1
                } else if rows.contains(where: { $0.outcome == .passed }) {
                    counts.passed += 1
                } else {
                    counts.skipped += 1
                }
            }
        }
    }
}
