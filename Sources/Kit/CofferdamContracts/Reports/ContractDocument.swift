/// A report with all that is concluded from it, ready to be written for people and other tools.
public struct ContractDocument: Sendable, Hashable {
    var name: String
    package var report: ContractReport
    package var comparison: UpgradeComparison?
    package var verdict: UpgradeVerdict?
    package var drift: [DriftLine]

    /// Puts a report together with the conclusions to show beside it.
    ///
    /// - Parameter name: the contract's owner, as the title shows it.
    public init(
        name: String,
        report: ContractReport,
        comparison: UpgradeComparison? = nil,
        verdict: UpgradeVerdict? = nil,
        drift: [DriftLine] = []
    ) {
        self.name = name
        self.report = report
        self.comparison = comparison
        self.verdict = verdict
        self.drift = drift
    }

    /// A place in which two adapters say different things to the same call.
    public struct DriftLine: Sendable, Hashable {
        var tier: String
        var id: String?
        var place: String
        var legacy: String?
        var candidate: String?
        var reason: String?

        /// Describes one difference as a row of the report.
        ///
        /// - Parameters:
        ///   - tier: how grave the difference is: "info", "warn", "error".
        ///   - id: the id under which it is known; nil if undecided.
        ///   - place: the call, the thing and the field: "animals, asp, legs".
        public init(
            tier: String,
            id: String?,
            place: String,
            legacy: String?,
            candidate: String?,
            reason: String?
        ) {
            self.tier = tier
            self.id = id
            self.place = place
            self.legacy = legacy
            self.candidate = candidate
            self.reason = reason
        }
    }

    /// The adapters' names, in the order of the report.
    var adapters: [String] {
        var names = report.adapters.map(\.name)
        for row in report.rows where !names.contains(row.adapter) { names.append(row.adapter) }
        return names.filter { name in report.declared.contains { $0.adapter == name } }
    }

    /// The rules that were to be run, in the order of the report.
    var rules: [RuleDescription] {
        report.allRules.filter { rule in report.declared.contains { $0.rule == rule.id } }
    }

    func title(of rule: RuleID) -> String { report.rules.first { $0.id == rule }?.title ?? "" }

    /// What the report rests on, as pairs of name and value.
    var provenance: [(name: String, value: String)] {
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
