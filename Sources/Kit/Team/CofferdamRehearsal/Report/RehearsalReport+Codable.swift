import CofferdamContracts

/// In JSON each comparison has its own name as the key, and in it each adapter's counts have the adapter's name:
/// `{"adapters", "catalogue": {"v1": {"animals": 107}, …, "differences": {"expected", "unexpected"}}, "contracts", "issues", "scenarios"}`.
extension RehearsalReport: Codable {
    /// Encodes the report as a keyed container.
    ///
    /// - Throws: `EncodingError` if a comparison has the name of another part of the report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(adapters, forKey: .adapters)
        try container.encode(issues, forKey: .issues)
        try container.encode(contracts, forKey: .contracts)
        try container.encode(scenarios, forKey: .scenarios)
        for comparison in comparisons {
            let key = Key(comparison.name)
            guard !Key.reserved.contains(key) else { throw reservedName(comparison.name, at: encoder.codingPath) }
            try container.encode(comparison, forKey: key)
        }
    }

    /// Decodes a report that ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let names = container.allKeys.filter { !Key.reserved.contains($0) }.sorted { $0.stringValue < $1.stringValue }
        self.init(
            adapters: try container.decode([AdapterRun].self, forKey: .adapters),
            comparisons: try names.map { key in
                try container.decode(Comparison.self, forKey: key)
            },
            issues: try container.decode([String: [Issue]].self, forKey: .issues),
            contracts: try container.decode(ContractReport.self, forKey: .contracts)
        )
        scenarios = try container.decode([ScenarioReport].self, forKey: .scenarios)
    }

    fileprivate struct Key: CodingKey, Hashable {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ stringValue: String) { self.stringValue = stringValue }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }

        static let adapters = Key("adapters")
        static let issues = Key("issues")
        static let contracts = Key("contracts")
        static let scenarios = Key("scenarios")
        static let differences = Key("differences")
        static let expected = Key("expected")
        static let unexpected = Key("unexpected")
        static let reserved: Set<Key> = [.adapters, .issues, .contracts, .scenarios]
    }
}

extension RehearsalReport.Comparison: Codable {
    /// Encodes the comparison as a keyed container.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: RehearsalReport.Key.self)
        for (adapter, count) in counts {
            let key = RehearsalReport.Key(adapter)
            guard key != .differences else { throw reservedName(adapter, at: encoder.codingPath) }
            try container.encode([unit: count], forKey: key)
        }
        var differences = container.nestedContainer(keyedBy: RehearsalReport.Key.self, forKey: .differences)
        try differences.encode(expected, forKey: .expected)
        try differences.encode(unexpected, forKey: .unexpected)
    }

    /// Decodes a comparison that ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: RehearsalReport.Key.self)
        let differences = try container.nestedContainer(keyedBy: RehearsalReport.Key.self, forKey: .differences)
        var counts: [String: Int] = [:]
        var unit = ""
        for key in container.allKeys where key != .differences {
            for (name, count) in try container.decode([String: Int].self, forKey: key) {
                unit = name
                counts[key.stringValue] = count
            }
        }
        self.init(
            name: decoder.codingPath.last?.stringValue ?? "",
            unit: unit,
            counts: counts,
            expected: try differences.decode([RehearsalReport.Difference].self, forKey: .expected),
            unexpected: try differences.decode([RehearsalReport.Difference].self, forKey: .unexpected)
        )
    }
}

private func reservedName(_ name: String, at path: [any CodingKey]) -> EncodingError {
    .invalidValue(
        name,
        .init(codingPath: path, debugDescription: "'\(name)' is a reserved name in a rehearsal's report")
    )
}
