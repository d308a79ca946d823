/// What a report tells of a rule.
public struct RuleDescription: Sendable, Hashable, Codable {
    public var id: RuleID
    public var title: String
    public var level: RuleLevel
    /// Sorted.
    public var requires: [CapabilityTag]
    /// Sorted.
    public var consults: [CapabilityTag]

    public init(
        id: RuleID,
        title: String,
        level: RuleLevel = .must,
        requires: [CapabilityTag] = [],
        consults: [CapabilityTag] = []
    ) {
        self.id = id
        self.title = title
        self.level = level
        self.requires = requires
        self.consults = consults
    }

    public init<Subject>(_ rule: Rule<Subject>) {
        self.init(
            id: rule.id,
            title: rule.title,
            level: rule.level,
            requires: rule.requires.sorted(),
            consults: rule.consults.sorted()
        )
    }
}
