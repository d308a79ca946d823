/// What a report tells of a rule.
public struct RuleDescription: Sendable, Hashable {
    public var id: RuleID
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

    public init<Subject>(_ rule: Rule<Subject>) {
        self.init(
            id: rule.id,
            title: rule.title,
            level: rule.level,
            requires: rule.requires.sorted(),
            consults: rule.consults.sorted(),
            powers: rule.powers.sorted(),
            consultedPowers: rule.consultedPowers.sorted()
        )
    }
}

/// Powers stand there where there are any.
extension RuleDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, title, level, requires, consults, powers, consultedPowers
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(RuleID.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
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
        try container.encode(level, forKey: .level)
        try container.encode(requires, forKey: .requires)
        try container.encode(consults, forKey: .consults)
        if !powers.isEmpty { try container.encode(powers, forKey: .powers) }
        if !consultedPowers.isEmpty { try container.encode(consultedPowers, forKey: .consultedPowers) }
    }
}
