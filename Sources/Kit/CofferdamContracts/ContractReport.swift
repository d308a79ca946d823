/// What a run found: one row for each declared pair of rule and adapter.
public struct ContractReport: Sendable, Hashable {
    /// The hash of the contract's text; "" until somebody has set it.
    public var digest: String
    public var rows: [Row]
    /// The pairs that were to be run or skipped; a report read from JSON declares what it holds.
    public var declared: Set<Pair>

    public init(digest: String = "", rows: [Row] = [], declared: Set<Pair>? = nil) {
        self.digest = digest
        self.rows = rows
        self.declared = declared ?? Set(rows.map(\.pair))
    }

    /// A rule and the adapter that it is held against.
    public struct Pair: Sendable, Hashable {
        public var rule: RuleID
        public var adapter: String

        public init(rule: RuleID, adapter: String) {
            self.rule = rule
            self.adapter = adapter
        }
    }

    public struct Row: Sendable, Hashable, Codable {
        public var rule: RuleID
        public var level: RuleLevel
        public var adapter: String
        public var outcome: Outcome
        /// How long the case took, on the run's clock.
        public var seconds: Double
        /// What was wrong, or why the rule was skipped.
        public var detail: String?

        public init(
            rule: RuleID,
            level: RuleLevel,
            adapter: String,
            outcome: Outcome,
            seconds: Double,
            detail: String? = nil
        ) {
            self.rule = rule
            self.level = level
            self.adapter = adapter
            self.outcome = outcome
            self.seconds = seconds
            self.detail = detail
        }

        public var pair: Pair { Pair(rule: rule, adapter: adapter) }
    }

    public enum Outcome: String, Sendable, Hashable, Codable {
        case passed, violated
        /// Not run, and the row says why. Never counts as passed.
        case skipped
        case crashed, timedOut

        public var isFailure: Bool {
            switch self {
            case .passed, .skipped: false
            case .violated, .crashed, .timedOut: true
            }
        }
    }

    /// Whether nothing failed, and everything that was declared was run or skipped with a reason, and something was run.
    public var isGreen: Bool { problems.isEmpty && !rows.contains { $0.outcome.isFailure } }

    /// What is wrong with the run itself (KIT-01, KIT-04), beside rows that failed.
    public var problems: [String] {
        var problems: [String] = []
        if !rows.contains(where: { $0.outcome != .skipped }) { problems.append("no rule was run") }
        let counts = Dictionary(rows.map { ($0.pair, 1) }, uniquingKeysWith: +)
        for pair in declared.union(counts.keys).sorted(by: { ($0.rule, $0.adapter) < ($1.rule, $1.adapter) }) {
            switch (counts[pair] ?? 0, declared.contains(pair)) {
            case (1, true): break
            case (0, _): problems.append("\(pair.rule) on \(pair.adapter) was declared and is not in the report")
            case (_, false): problems.append("\(pair.rule) on \(pair.adapter) was not declared")
            case (let count, true): problems.append("\(pair.rule) on \(pair.adapter) is in the report \(count) times")
            }
        }
        for row in rows where row.outcome == .skipped && (row.detail ?? "").isEmpty {
            problems.append("\(row.rule) on \(row.adapter) was skipped without a reason")
        }
        return problems
    }
}

extension ContractReport: Codable {
    private enum CodingKeys: String, CodingKey { case digest, rows }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            digest: try container.decode(String.self, forKey: .digest),
            rows: try container.decode([Row].self, forKey: .rows)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(digest, forKey: .digest)
        try container.encode(rows, forKey: .rows)
    }
}
