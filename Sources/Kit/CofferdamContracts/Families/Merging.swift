extension Rule {
    /// One contract of several operations of a kind: rules of one id become one, which runs each and names the operation
    /// in what it finds; in the order of their ids.
    ///
    /// It needs what all of them need; an operation that needs more is passed over where that is not declared, or where the
    /// stand cannot do it, and a rule of which nothing is left is skipped. Title and level are the first one's, the bound
    /// is the longest.
    ///
    /// - Parameter operations: each with its name, as findings are to bear it, and its rules.
    public static func merged(_ operations: [(name: String, rules: [Rule])]) -> [Rule] {
        var parts: [RuleID: [(name: String, rule: Rule)]] = [:]
        for (name, rules) in operations {
            for rule in rules {
                parts[rule.id, default: []].append((name, rule))
            }
        }
        return parts.keys.sorted().compactMap { parts[$0].flatMap(merged) }
    }

    private static func merged(_ parts: [(name: String, rule: Rule)]) -> Rule? {
        guard let first = parts.first?.rule else { return nil }
        let requires = parts.map(\.rule.requires).reduce(first.requires) { $0.intersection($1) }
        let powers = parts.map(\.rule.powers).reduce(first.powers) { $0.intersection($1) }
        let consultedPowers = parts.reduce(into: Set()) { $0.formUnion($1.rule.powers.union($1.rule.consultedPowers)) }
        let consults = parts.reduce(into: Set()) { $0.formUnion($1.rule.requires.union($1.rule.consults)) }
        return Rule(
            first.id,
            first.title,
            level: first.level,
            requires: requires,
            consults: consults.subtracting(requires),
            powers: powers,
            consultedPowers: consultedPowers.subtracting(powers),
            bound: parts.map(\.rule.bound).reduce(first.bound, max),
            mayTrap: parts.contains { $0.rule.mayTrap }
        ) { subject, context in
            var findings = Findings()
            var unmet: [UnmetDemands] = []
            for (name, rule) in parts {
                let lacking = rule.unmet(by: context.capabilities, context.powers)
                guard lacking.isEmpty else {
                    unmet.append(lacking)
                    continue
                }
                do {
                    for violation in try await rule.body(subject, context) { findings.add("\(name): \(violation)") }
                } catch let error as UnmetDemands {
                    unmet.append(error)
                } catch {
                    try Task.checkCancellation()
                    findings.add("\(name): \(error)")
                }
            }
            if unmet.count == parts.count { throw UnmetDemands(all: unmet) }
            return findings.violations
        }
    }
}

extension UnmetDemands {
    /// Of several operations none of which was run: what the stand lacks counts only if no capability is in the way of all.
    fileprivate init(all parts: [UnmetDemands]) {
        let unjudged = parts.filter(\.leavesUnjudged)
        self.init()
        for part in unjudged.isEmpty ? parts : unjudged {
            capabilities.formUnion(part.capabilities)
            powers.formUnion(part.powers)
        }
    }
}

extension Mutant {
    /// The mutants of several operations of a kind, each under its operation's name.
    ///
    /// - Parameter operations: each with its name, and its mutants.
    public static func merged(_ operations: [(name: String, mutants: [Mutant])]) -> [Mutant] {
        operations.flatMap { name, mutants in
            mutants.map { Mutant($0.rule, "\(name): \($0.name)", crashes: $0.crashes, mutate: $0.mutate) }
        }
    }
}
