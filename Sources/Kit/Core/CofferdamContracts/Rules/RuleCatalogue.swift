/// The ids and levels of the rules that mean the same for all ports and projects.
package enum RuleCatalogue {
    /// The level of a rule of the catalogue; nil for any other id.
    package static func level(of id: RuleID) -> RuleLevel? { levels[id] }

    /// Every id, family by family.
    package static let ids: [RuleID] = families.flatMap { family in
        family.levels.indices.map { id(family.name, $0) }
    }

    private static let levels: [RuleID: RuleLevel] = families.reduce(into: [:]) { levels, family in
        for (index, level) in family.levels.enumerated() { levels[id(family.name, index)] = level }
    }

    private static func id(_ family: String, _ index: Int) -> RuleID {
        RuleID(rawValue: "\(family)-\(index < 9 ? "0" : "")\(index + 1)")
    }

    private struct Family {
        let name: String
        let levels: [RuleLevel]

        init(_ name: String, _ levels: [RuleLevel]) {
            self.name = name
            self.levels = levels
        }
    }

    private static func musts(_ count: Int) -> [RuleLevel] { Array(repeating: .must, count: count) }

    private static let families = [
        Family("LIST", musts(8) + [.should] + musts(7)),
        Family("GET", musts(7) + [.optional]),
        Family("MUT", musts(9)),
        Family("STRM", musts(9) + [.optional] + musts(3)),
        Family("AUTH", musts(15)),
        Family("BIN", musts(7) + [.optional, .must]),
        Family("CANC", musts(9)),
        Family("TIME", musts(8)),
        Family("ERR", musts(8)),
        Family("VALUE", musts(5)),
        Family("LIFE", musts(4) + [.stochastic] + musts(2)),
        Family("WAIT", musts(7)),
        Family("KIT", musts(10)),
        Family("TAPE", musts(8)),
    ]
}

/// Returns the problems with the ids of a contract's rules (KIT-07): a project's own rule must have a namespace, and no
/// rule may replace or weaken one of the catalogue.
package func namingProblems<Subject>(of rules: some Sequence<Rule<Subject>>) -> [String] {
    var problems: [String] = []
    var seen: Set<String> = []
    for rule in rules {
        if !seen.insert(rule.name).inserted { problems.append("two rules are called \(rule.name)") }
        if !rule.id.isWellFormed {
            problems.append(
                "'\(rule.id)' is not a rule's id: it needs the form LIST-01, or shop/LIST-01 for a project's own rule"
            )
        } else if rule.id.namespace == nil {
            switch RuleCatalogue.level(of: rule.id) {
            case nil:
                problems.append(
                    "\(rule.id) is not in the catalogue: a project's own rule has a namespace, as in shop/\(rule.id)"
                )
            case .some(let level) where level != rule.level:
                problems.append(
                    "\(rule.id) is of level \(level.rawValue) in the catalogue, and of level \(rule.level.rawValue) here"
                )
            case .some: break
            }
        }
    }
    return problems
}
