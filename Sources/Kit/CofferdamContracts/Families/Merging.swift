extension Sequence {
    /// The rules of several operations of one kind, one for each id: it holds if it holds for every operation, in turn.
    ///
    /// Title, level, needs and bound are those of the first rule of an id.
    public func merged<Subject>() -> [Rule<Subject>] where Element == Rule<Subject> {
        var ids: [RuleID] = []
        var rules: [RuleID: [Rule<Subject>]] = [:]
        for rule in self {
            if rules[rule.id] == nil { ids.append(rule.id) }
            rules[rule.id, default: []].append(rule)
        }
        return ids.compactMap { id in
            guard let parts = rules[id], let first = parts.first else { return nil }
            guard parts.count > 1 else { return first }
            return Rule(
                id,
                first.title,
                level: first.level,
                requires: first.requires,
                bound: first.bound
            ) { subject, context in
                var violations: [Violation] = []
                for part in parts { violations += try await part.body(subject, context) }
                return violations
            }
        }
    }
}
