/// The result of a run: a row for each declared case, and the circumstances of the run.
public struct ContractReport: Sendable, Hashable {
    /// The hash of the contract's text; "" until it is set.
    package var digest: String
    /// Where and when the run was made; nil until it is set.
    package var stamp: RunStamp?
    /// The rules of the whole contract, even if only a part was run.
    package var rules: [RuleDescription] = []
    /// All adapters of the contract.
    package var adapters: [AdapterDescription] = []
    /// Which adapter is to replace which; nil if that is not known.
    public var upgrade: UpgradePath?
    package var deviations: [KnownDeviation] = []
    /// One row for each case that was run or skipped.
    public var rows: [Row]
    /// The cases that were to be run or skipped.
    package var declared: Set<Case>
    /// Why the run ended early: "LIST-01 on v1 failed, and 12 cases were left"; nil if it did not.
    public var stop: String?
    /// Problems that no row shows; also part of ``problems``.
    package var findings: [String] = []
    /// The last run that certified each fake.
    package var certifications: [Certification] = []

    /// Creates a report of these rows.
    ///
    /// - Parameters:
    ///   - digest: the hash of the contract's text; "" until it is set.
    ///   - declared: the cases that were to be run or skipped; nil for exactly those of `rows`.
    public init(digest: String = "", rows: [Row] = [], declared: Set<Case>? = nil) {
        self.digest = digest
        self.rows = rows
        self.declared = declared ?? Set(rows.map(\.id))
    }

    /// A rule, an operation, and the adapter that is checked.
    public struct Case: Sendable, Hashable, Codable {
        /// The rule's id.
        package var rule: RuleID
        /// Nil if the rule is not about a single operation.
        package var operation: String?
        /// The adapter's name.
        package var adapter: String

        package init(rule: RuleID, operation: String? = nil, adapter: String) {
            self.rule = rule
            self.operation = operation
            self.adapter = adapter
        }

        init<Subject>(_ rule: CofferdamContracts.Rule<Subject>, on adapter: AdapterUnderTest<Subject>) {
            self.init(rule: rule.id, operation: rule.operation, adapter: adapter.name)
        }
    }

    /// The outcome of one rule, on one operation and one adapter.
    public struct Row: Sendable, Hashable, Codable {
        /// The rule's id.
        public var rule: RuleID
        /// Nil if the rule is not about a single operation.
        public var operation: String?
        /// How binding the rule is.
        package var level: RuleLevel
        /// The adapter's name.
        public var adapter: String
        /// How the case ended.
        public var outcome: Outcome
        /// How long the case took, on the run's clock.
        public var seconds: Double
        /// What went wrong, or why the rule was skipped.
        public var detail: String?
        /// Whether a rule skipped for a missing capability passed when it was tried; nil if it was not tried.
        package var worksUndeclared: Bool?
        /// The capabilities for which the rule was skipped, because the adapter does not declare them; nil if there are
        /// none.
        package var missingCapabilities: [CapabilityTag]?
        /// The harness capabilities that are missing to judge the rule; nil if it was judged, or does
        /// not apply.
        public var missingHarnessCapabilities: [HarnessCapability]?
        /// The part that must be written before the case can be judged: see `NotWritten`.
        package var notWritten: String?

        package init(
            rule: RuleID,
            operation: String? = nil,
            level: RuleLevel,
            adapter: String,
            outcome: Outcome,
            seconds: Double,
            detail: String? = nil
        ) {
            self.rule = rule
            self.operation = operation
            self.level = level
            self.adapter = adapter
            self.outcome = outcome
            self.seconds = seconds
            self.detail = detail
        }

        /// The case that the row reports on.
        public var id: Case { Case(rule: rule, operation: operation, adapter: adapter) }

        /// "LIST-01 of animals".
        package var name: String { operation.map { "\(rule) of \($0)" } ?? rule.rawValue }
    }

    /// How a case ends.
    public enum Outcome: String, Sendable, Hashable, Codable {
        case passed, failed
        /// Not run, for the reason in the row. Never counts as passed.
        case skipped
        case crashed, timedOut

        /// Whether the case failed, crashed or timed out.
        public var isFailure: Bool {
            switch self {
            case .passed, .skipped: false
            case .failed, .crashed, .timedOut: true
            }
        }
    }

    /// Whether at least one case was run, nothing failed unexpectedly, and everything else that was declared was
    /// skipped with a reason.
    public var isGreen: Bool { problems.isEmpty && failures.isEmpty }

    /// The rows that failed unexpectedly.
    public var failures: [Row] { rows.filter { $0.outcome.isFailure && deviation(of: $0) == nil } }

    /// Whether every rule was run on every adapter to the end; false for a report that does not describe its contract.
    public var isWhole: Bool {
        stop == nil && !rules.isEmpty && !adapters.isEmpty
            && declared == Set(adapters.flatMap { adapter in rules.flatMap { $0.cases(on: adapter.name) } })
    }

    /// The described rules, followed by those that only occur in rows.
    var allRules: [RuleDescription] {
        var known = rules
        for row in rows where !known.contains(where: { $0.id == row.rule }) {
            var rule = RuleDescription(id: row.rule, title: "", level: row.level)
            for row in rows where row.rule == rule.id {
                guard let operation = row.operation, !rule.operations.contains(operation) else { continue }
                rule.operations.append(operation)
            }
            known.append(rule)
        }
        return known
    }

    /// The report of a run that ended before its last case.
    func stopped(_ reason: String) -> ContractReport {
        var report = self
        let left = declared.subtracting(rows.map(\.id)).count
        report.stop = "\(reason), and \(left == 1 ? "1 case was" : "\(left) cases were") left"
        return report
    }

    /// Returns the row of a case; nil if there is none.
    package func row(of rule: RuleID, _ operation: String? = nil, on adapter: String) -> Row? {
        rows.first { $0.rule == rule && $0.operation == operation && $0.adapter == adapter }
    }

    /// Returns the rows of a rule, one for each operation.
    package func rows(of rule: RuleID, on adapter: String) -> [Row] {
        rows.filter { $0.rule == rule && $0.adapter == adapter }
    }

    /// Returns the known deviation that excuses a row: the row fails as described, or is skipped as described, and the
    /// deviation has not expired.
    package func deviation(of row: Row) -> KnownDeviation? {
        guard let today = stamp?.date else { return nil }
        return deviations.first { $0.excuses(row, on: today) }
    }
}

extension RuleDescription {
    /// The rule's cases on one adapter.
    func cases(on adapter: String) -> [ContractReport.Case] {
        operations.isEmpty
            ? [ContractReport.Case(rule: id, adapter: adapter)]
            : operations.map { ContractReport.Case(rule: id, operation: $0, adapter: adapter) }
    }
}

extension ContractReport.Case: CustomStringConvertible {
    /// "LIST-01 of animals on v2".
    public var description: String { "\(rule)\(operation.map { " of \($0)" } ?? "") on \(adapter)" }
}

extension ContractReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case digest, stamp, rules, adapters, upgrade, deviations, rows, missing, stop, problems, certifications
    }

    /// Decodes a report that ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func list<Element: Decodable>(_ key: CodingKeys) throws -> [Element] {
            try container.decodeIfPresent([Element].self, forKey: key) ?? []
        }
        self.init(
            digest: try container.decode(String.self, forKey: .digest),
            rows: try container.decode([Row].self, forKey: .rows)
        )
        declared.formUnion(try list(.missing))
        upgrade = try container.decodeIfPresent(UpgradePath.self, forKey: .upgrade)
        stamp = try container.decodeIfPresent(RunStamp.self, forKey: .stamp)
        rules = try list(.rules)
        adapters = try list(.adapters)
        deviations = try list(.deviations)
        certifications = try list(.certifications)
        stop = try container.decodeIfPresent(String.self, forKey: .stop)
        findings = []
        let evident = problems
        findings = try list(.problems).filter { !evident.contains($0) }
    }

    /// Encodes the report as a keyed container with its problems, so that other tools need not derive them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(digest, forKey: .digest)
        try container.encodeIfPresent(stamp, forKey: .stamp)
        if !rules.isEmpty { try container.encode(rules, forKey: .rules) }
        if !adapters.isEmpty { try container.encode(adapters, forKey: .adapters) }
        if !deviations.isEmpty { try container.encode(deviations, forKey: .deviations) }
        try container.encodeIfPresent(upgrade, forKey: .upgrade)
        try container.encode(rows, forKey: .rows)
        let missing = declared.subtracting(rows.map(\.id))
        if !missing.isEmpty {
            try container.encode(missing.sorted { $0.description < $1.description }, forKey: .missing)
        }
        try container.encodeIfPresent(stop, forKey: .stop)
        let problems = self.problems
        if !problems.isEmpty { try container.encode(problems, forKey: .problems) }
        if !certifications.isEmpty { try container.encode(certifications, forKey: .certifications) }
    }
}
