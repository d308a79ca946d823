/// A report's description of a rule, over all operations that it checks.
package struct RuleDescription: Sendable, Hashable {
    package var id: RuleID
    /// In the contract's order; empty if the rule is not about a single operation.
    package var operations: [String] = []
    package var title: String
    package var level: RuleLevel
    /// Sorted.
    package var requires: [CapabilityTag]
    /// Sorted.
    package var consults: [CapabilityTag]
    /// Sorted.
    package var harnessCapabilities: [HarnessCapability]
    /// Sorted.
    package var consultedHarnessCapabilities: [HarnessCapability]

    package init(
        id: RuleID,
        title: String,
        level: RuleLevel = .must,
        requires: [CapabilityTag] = [],
        consults: [CapabilityTag] = [],
        harnessCapabilities: [HarnessCapability] = [],
        consultedHarnessCapabilities: [HarnessCapability] = []
    ) {
        self.id = id
        self.title = title
        self.level = level
        self.requires = requires
        self.consults = consults
        self.harnessCapabilities = harnessCapabilities
        self.consultedHarnessCapabilities = consultedHarnessCapabilities
    }

    /// Describes the rules of one id. They require what all of them require; what only some require, they consult.
    ///
    /// - Parameter rules: one for each operation; not empty.
    init<Subject>(_ rules: [Rule<Subject>]) {
        let requires = rules.dropFirst().reduce(rules[0].requires) { $0.intersection($1.requires) }
        let harnessCapabilities = rules.dropFirst().reduce(rules[0].harnessCapabilities) {
            $0.intersection($1.harnessCapabilities)
        }
        let tags = rules.reduce(into: Set()) { $0.formUnion($1.requires.union($1.consults)) }
        let allHarnessCapabilities = rules.reduce(into: Set()) {
            $0.formUnion($1.harnessCapabilities.union($1.consultedHarnessCapabilities))
        }
        self.init(
            id: rules[0].id,
            title: rules[0].title,
            level: rules[0].level,
            requires: requires.sorted(),
            consults: tags.subtracting(requires).sorted(),
            harnessCapabilities: harnessCapabilities.sorted(),
            consultedHarnessCapabilities: allHarnessCapabilities.subtracting(harnessCapabilities).sorted()
        )
        operations = rules.compactMap(\.operation)
    }

    /// The rules of a contract, each once, in order.
    package static func all<Subject>(of rules: [Rule<Subject>]) -> [RuleDescription] {
        var order: [RuleID] = []
        let byID = Dictionary(grouping: rules, by: \.id)
        for rule in rules where !order.contains(rule.id) { order.append(rule.id) }
        return order.compactMap { byID[$0].map(RuleDescription.init) }
    }
}

/// The harness's capabilities are encoded only if there are any.
extension RuleDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, title, operations, level, requires, consults, harnessCapabilities, consultedHarnessCapabilities
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(RuleID.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        operations = try container.decodeIfPresent([String].self, forKey: .operations) ?? []
        level = try container.decode(RuleLevel.self, forKey: .level)
        requires = try container.decode([CapabilityTag].self, forKey: .requires)
        consults = try container.decode([CapabilityTag].self, forKey: .consults)
        harnessCapabilities =
            try container.decodeIfPresent([HarnessCapability].self, forKey: .harnessCapabilities) ?? []
        consultedHarnessCapabilities =
            try container.decodeIfPresent([HarnessCapability].self, forKey: .consultedHarnessCapabilities) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        if !operations.isEmpty { try container.encode(operations, forKey: .operations) }
        try container.encode(level, forKey: .level)
        try container.encode(requires, forKey: .requires)
        try container.encode(consults, forKey: .consults)
        if !harnessCapabilities.isEmpty { try container.encode(harnessCapabilities, forKey: .harnessCapabilities) }
        if !consultedHarnessCapabilities.isEmpty {
            try container.encode(consultedHarnessCapabilities, forKey: .consultedHarnessCapabilities)
        }
    }
}
