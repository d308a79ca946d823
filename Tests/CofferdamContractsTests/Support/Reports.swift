import CofferdamContracts

/// Handmade reports, for testing the conclusions drawn from them.
enum Made {
    static let today: CalendarDay = "2026-11-21"
    static let stamp = RunStamp(fixtures: "f00d", os: "Debian 12", toolchain: "Swift 6.3.1", date: today)
    static let link = "https://example.org/tickets/7"

    static func row(
        _ rule: RuleID,
        _ adapter: String,
        _ outcome: ContractReport.Outcome = .passed,
        _ detail: String? = nil,
        level: RuleLevel = .must
    ) -> ContractReport.Row {
        let reason = outcome == .skipped ? "\(adapter) does not declare it" : nil
        return .init(
            rule: rule,
            level: level,
            adapter: adapter,
            outcome: outcome,
            seconds: 0.25,
            detail: detail ?? reason
        )
    }

    static func adapter(
        _ name: String,
        _ kind: AdapterKind = .live,
        _ capabilities: [CapabilityTag] = []
    ) -> AdapterDescription {
        AdapterDescription(
            name: name,
            identity: AdapterIdentity(kind, version: "3.1", sdk: "Vendor \(name)"),
            capabilities: capabilities
        )
    }

    /// Returns a complete run over "v1" and "v2", with everything that a verdict needs.
    ///
    /// - Parameter outcomes: the outcomes of each rule on v1 and on v2.
    static func report(
        _ outcomes: [(rule: RuleDescription, v1: ContractReport.Outcome, v2: ContractReport.Outcome)],
        v1: [CapabilityTag] = [],
        v2: [CapabilityTag] = [],
        deviations: [KnownDeviation] = []
    ) -> ContractReport {
        var report = ContractReport(digest: "d16e57")
        for (rule, old, new) in outcomes {
            for (adapter, outcome, declared) in [("v1", old, v1), ("v2", new, v2)] {
                var row = Made.row(rule.id, adapter, outcome, level: rule.level)
                let missing = Set(rule.requires).subtracting(declared).sorted()
                if outcome == .skipped, !missing.isEmpty { row.missingCapabilities = missing }
                report.rows.append(row)
            }
        }
        report.declared = Set(report.rows.map(\.id))
        report.rules = outcomes.map(\.rule)
        report.adapters = [adapter("v1", .live, v1), adapter("v2", .live, v2)]
        report.stamp = stamp
        report.deviations = deviations
        return report
    }

    static func rule(
        _ id: RuleID,
        _ level: RuleLevel = .must,
        requires: [CapabilityTag] = []
    ) -> RuleDescription {
        RuleDescription(id: id, title: "promise of \(id)", level: level, requires: requires)
    }
}
