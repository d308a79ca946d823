extension Rule {
    /// The rules of several operations of a kind: each operation is a case of its own, under the rule's id.
    ///
    /// - Parameter operations: each with its name, as reports show it, and its rules.
    /// - Returns: in the order of the rules' ids; of one id in the order of the operations.
    public static func each(_ operations: [(name: String, rules: [Rule])]) -> [Rule] {
        let rules = operations.flatMap { name, rules in rules.map { $0.of(name) } }
        return rules.enumerated().sorted { ($0.element.id, $0.offset) < ($1.element.id, $1.offset) }.map(\.element)
    }
}

extension Mutant {
    /// The mutants of several operations of a kind, each to be killed by its own operation's rule.
    ///
    /// - Parameter operations: each with its name, as its rules have it, and its mutants.
    public static func each(_ operations: [(name: String, mutants: [Mutant])]) -> [Mutant] {
        operations.flatMap { name, mutants in mutants.map { $0.of(name) } }
    }
}
