/// What a report tells of a rule, over all operations that it is held against.
public struct RuleDescription: Sendable, Hashable {
    public var id: RuleID
    /// In the order of the contract; empty for a rule of no single operation.
    public var operations: [String] = []
    public var title: String
    public var level: RuleLevel
    /// Sorted.
    public var requires: [CapabilityTag]
    /// Sorted.
    public var consults: [CapabilityTag]
    /// Sorted.
    public var powers: [ProbePower]
    /// Sorted.
    public var consultedPowers: [ProbePower]

    public init(
        id: RuleID,
        title: String,
        level: RuleLevel = .must,
        requires: [CapabilityTag] = [],
        consults: [CapabilityTag] = [],
        powers: [ProbePower] = [],
        consultedPowers: [ProbePower] = []
    ) {
        self.id = id
        self.title = title
        self.level = level
        self.requires = requires
        self.consults = consults
        self.powers = powers
        self.consultedPowers = consultedPowers
    }

    /// Describes the rules of one id. They require what each of them does; what only some require, they consult.
    ///
    /// - Parameter rules: one for each operation, at least one.
    init<Subject>(_ rules: [Rule<Subject>]) {
        let requires = rules.dropFirst().reduce(rules[0].requires) { $0.intersection($1.requires) }
        let powers = rules.dropFirst().reduce(rules[0].powers) { $0.intersection($1.powers) }
        let tags = rules.reduce(into: Set()) { $0.formUnion($1.requires.union($1.consults)) }
        let allPowers = rules.reduce(into: Set()) { $0.formUnion($1.powers.union($1.consultedPowers)) }
        self.init(
            id: rules[0].id,
            title: rules[0].title,
            level: rules[0].level,
            requires: requires.sorted(),
            consults: tags.subtracting(requires).sorted(),
            powers: powers.sorted(),
            consultedPowers: allPowers.subtracting(powers).sorted()
        )
        operations = rules.compactMap(\.operation)
    }

    /// The rules of a contract, each once, in its order.
    public static func all<Subject>(of rules: [Rule<Subject>]) -> [RuleDescription] {
        var order: [RuleID] = []
        let byID = Dictionary(grouping: rules, by: \.id)
        for rule in rules where !order.contains(rule.id) { order.append(rule.id) }
        return order.compactMap { byID[$0].map(RuleDescription.init) }
    }
}

/// Powers stand there where there are any.
extension RuleDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, title, operations, level, requires, consults, powers, consultedPowers
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(RuleID.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        operations = try container.decodeIfPresent([String].self, forKey: .operations) ?? []
        level = try container.decode(RuleLevel.self, forKey: .level)
        requires = try container.decode([CapabilityTag].self, forKey: .requires)
        consults = try container.decode([CapabilityTag].self, forKey: .consults)
        powers = try container.decodeIfPresent([ProbePower].self, forKey: .powers) ?? []
        consultedPowers = try container.decodeIfPresent([ProbePower].self, forKey: .consultedPowers) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        if !operations.isEmpty { try container.encode(operations, forKey: .operations) }
        try container.encode(level, forKey: .level)
        try container.encode(requires, forKey: .requires)
        try container.encode(consults, forKey: .consults)
        if !powers.isEmpty { try container.encode(powers, forKey: .powers) }
        if !consultedPowers.isEmpty { try container.encode(consultedPowers, forKey: .consultedPowers) }
    }
}
