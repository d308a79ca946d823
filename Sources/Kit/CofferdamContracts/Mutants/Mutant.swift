import Cofferdam

/// A subject that breaks exactly one rule, to prove that the rule can fail.
public struct Mutant<Subject: Sendable>: Sendable {
    /// The rule that must kill it.
    public let rule: RuleID
    /// The operation that it breaks; nil if it is not limited to one.
    public private(set) var operation: String?
    /// The misbehaviour: "drops the last item of a full page".
    public let name: String
    /// Whether it declares that it crashes inside its rule, which then kills it in a child process.
    let crashes: Bool
    /// Decorates a correct subject; must call the effect when it misbehaves.
    package let mutate: @Sendable (Subject, MutantEffect) -> Subject

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

    /// A name that is unique in the contract.
    package var id: MutantID { MutantID(rule: rule, operation: operation, mutant: name) }
}

/// Identifies a mutant of a contract.
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
