import Cofferdam

/// A subject that breaks exactly one rule: what shows that the rule can fail at all.
public struct Mutant<Subject: Sendable>: Sendable {
    /// The rule that must kill it.
    public let rule: RuleID
    /// Of which operation; nil: of whatever the rule is held against.
    public private(set) var operation: String?
    /// What it does wrong: "drops the last item of a full page".
    public let name: String
    /// Whether it declares that it ends the process inside its rule: that kills it then, in a child process.
    public let crashes: Bool
    /// Decorates a clean subject; says to the effect when it has done the wrong thing.
    public let mutate: @Sendable (Subject, MutantEffect) -> Subject

    public init(
        _ rule: RuleID,
        _ name: String,
        crashes: Bool = false,
        mutate: @escaping @Sendable (Subject, MutantEffect) -> Subject
    ) {
        self.rule = rule
        self.name = name
        self.crashes = crashes
        self.mutate = mutate
    }

    /// The same fault in one operation.
    public func of(_ operation: String) -> Mutant {
        var mutant = self
        mutant.operation = operation
        return mutant
    }

    /// A name that no other mutant of the contract has.
    public var id: MutantID { MutantID(rule: rule, operation: operation, mutant: name) }
}

/// Which mutant of a contract.
public struct MutantID: Sendable, Hashable, Codable, CustomStringConvertible {
    public var rule: RuleID
    public var operation: String?
    public var mutant: String

    public init(rule: RuleID, operation: String? = nil, mutant: String) {
        self.rule = rule
        self.operation = operation
        self.mutant = mutant
    }

    /// "LIST-01 of animals, drops the last item of a full page".
    public var description: String { "\(rule)\(operation.map { " of \($0)" } ?? ""), \(mutant)" }
}
