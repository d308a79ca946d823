/// The outcomes of all mutants of a contract.
public struct MutationReport: Sendable, Hashable, Codable {
    /// One row for each mutant.
    public var rows: [MutationRow]
    /// The rules that must kill a mutant: those of level M that apply to the adapter.
    public var obliged: [RuleID]
    /// Why the run ended early; nil if it did not.
    public var stop: String?

    package init(rows: [MutationRow], obliged: [RuleID]) {
        self.rows = rows
        self.obliged = obliged
    }

    /// Whether every mutant was killed by its own rule, and every rule of level M killed one.
    public var isGreen: Bool { problems.isEmpty }

    /// The number of mutants with an outcome.
    public func count(of outcome: MutationOutcome) -> Int { rows.count { $0.outcome == outcome } }

    /// The judged mutants that survived, and the rules of level M that killed none (KIT-02).
    public var problems: [String] {
        let alive = rows.filter { $0.outcome != .killed && $0.outcome != .skipped }.map {
            "\($0.id): \($0.outcome.rawValue)"
        }
        // Nothing can be said about mutants that were not run.
        if let stop { return ["the run is incomplete: \(stop)"] + alive }
        let proved = Set(rows.filter { $0.outcome == .killed }.map(\.rule))
        guard rows.contains(where: { $0.outcome != .skipped }) else { return ["no mutant was run"] }
        // A rule that could not be judged on the clean adapter has only skipped mutants.
        let skipped = Set(rows.filter { $0.outcome == .skipped }.map(\.rule)).subtracting(
            rows.filter { $0.outcome != .skipped }.map(\.rule)
        )
        return alive
            + obliged.filter { !proved.contains($0) && !skipped.contains($0) }.map {
                "\($0) has no mutant that it kills"
            }
    }
}

/// The outcome of one mutant.
public struct MutationRow: Sendable, Hashable, Codable {
    /// The rule that must notice the mutant.
    public var rule: RuleID
    /// Nil if the rule is not about a single operation.
    public var operation: String?
    /// The mutant's name.
    public var mutant: String
    /// Whether the rule noticed it.
    public var outcome: MutationOutcome
    /// The violation that gave it away, or why the row has none.
    public var detail: String?

    package init(
        rule: RuleID,
        operation: String? = nil,
        mutant: String,
        outcome: MutationOutcome,
        detail: String? = nil
    ) {
        self.rule = rule
        self.operation = operation
        self.mutant = mutant
        self.outcome = outcome
        self.detail = detail
    }

    init<Subject>(_ mutant: Mutant<Subject>, _ outcome: MutationOutcome, _ detail: String? = nil) {
        self.init(
            rule: mutant.rule,
            operation: mutant.operation,
            mutant: mutant.name,
            outcome: outcome,
            detail: detail
        )
    }

    /// Which mutant it is.
    public var id: MutantID { MutantID(rule: rule, operation: operation, mutant: mutant) }
}

/// Only `killed` counts (KIT-02).
public enum MutationOutcome: String, Sendable, Hashable, Codable, CaseIterable {
    /// Its own rule detected it, or it crashed there as declared.
    case killed
    /// Only another rule detected it.
    case killedByOther
    case survived
    /// It never did the wrong thing, so nothing is proved (KIT-03).
    case noEffect
    case crashed, timedOut
    /// The rule does not exist, or the clean adapter did not pass it.
    case notJudged
    /// The rule does not apply to the adapter, or cannot be judged with its harness.
    case skipped
}
