extension Rule {
    /// Returns the rules of several operations of a kind: each operation is a separate case under the rule's id.
    ///
    /// - Parameter operations: each with its name, as reports show it, and its rules.
    /// - Returns: the rules in the order of their ids; rules with the same id in the order of the operations.
    public static func each(_ operations: [(name: String, rules: [Rule])]) -> [Rule] {
        let rules = operations.flatMap { name, rules in rules.map { $0.of(name) } }
        return rules.enumerated().sorted { ($0.element.id, $0.offset) < ($1.element.id, $1.offset) }.map(\.element)
    }
}

extension Mutant {
    /// Returns the mutants of several operations of a kind. Each must be killed by the rule of its own operation.
    ///
    /// - Parameter operations: each with the name that its rules use, and its mutants.
    public static func each(_ operations: [(name: String, mutants: [Mutant])]) -> [Mutant] {
        operations.flatMap { name, mutants in mutants.map { $0.of(name) } }
    }
}
