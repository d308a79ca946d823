import Cofferdam

/// A subject that breaks exactly one rule, to prove that the rule can fail.
public struct Mutant<Subject: Sendable>: Sendable {
    /// The rule that must kill it.
    public let rule: RuleID
    /// The operation that it breaks; nil if it is not limited to one.
    public private(set) var operation: String?
    /// The misbehaviour: "drops the last item of a full page".
    public let name: String
    let crashes: Bool
    /// Decorates a correct subject; must call the effect when it misbehaves.
    package let mutate: @Sendable (Subject, MutantEffect) -> Subject

    /// Breaks a subject so that `rule` fails.
    ///
    /// - Parameters:
    ///   - crashes: whether the mutant crashes on purpose; the crash, in a child process, counts as noticed.
    ///   - mutate: decorates a correct subject; must call the effect when it misbehaves.
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

    /// Returns the same mutant for one operation.
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
    /// The rule that must notice the mutant.
    package var rule: RuleID
    /// The operation that the mutant breaks; nil if the rule is not about a single operation.
    package var operation: String?
    /// The mutant's name.
    package var mutant: String

    /// Identifies a mutant among those of its rule and operation.
    init(rule: RuleID, operation: String? = nil, mutant: String) {
        self.rule = rule
        self.operation = operation
        self.mutant = mutant
    }

    /// "LIST-01 of animals, drops the last item of a full page".
    public var description: String { "\(rule)\(operation.map { " of \($0)" } ?? ""), \(mutant)" }
}
