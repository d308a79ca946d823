import CofferdamContracts

/// The part of a contract to run.
struct ContractSelection: Sendable, Hashable {
    let rules: Set<RuleID>
    /// Nil for all operations, and for rules that belong to no single one.
    let operations: Set<String>?
    let adapters: Set<String>

    init(all tooling: Tooling) {
        rules = Set(tooling.rules.map(\.id))
        operations = nil
        adapters = Set(tooling.adapters.map(\.name))
    }

    func includes(_ id: ContractReport.Case) -> Bool {
        rules.contains(id.rule) && adapters.contains(id.adapter)
            && operations.map { operations in id.operation.map(operations.contains) ?? false } ?? true
    }

    /// Selects the named rules, operations and adapters, ignoring case; all of a kind if none is named.
    ///
    /// - Throws: ``UnknownSelection`` for a name that matches nothing: a filter with a typo must not run nothing and
    ///   pass.
    init(
        of tooling: Tooling,
        rules ruleNames: [String],
        operations operationNames: [String] = [],
        adapters adapterNames: [String]
    ) throws(UnknownSelection) {
        let all = Self(all: tooling)
        rules = try Self.select(ruleNames, "rule", from: all.rules, name: \.rawValue)
        let known = Set(tooling.rules.flatMap(\.operations))
        operations =
            operationNames.isEmpty ? nil : try Self.select(operationNames, "operation", from: known, name: \.self)
        adapters = try Self.select(adapterNames, "adapter", from: all.adapters, name: \.self)
    }

    private static func select<Item: Hashable>(
        _ names: [String],
        _ kind: String,
        from all: Set<Item>,
        name: (Item) -> String
    ) throws(UnknownSelection) -> Set<Item> {
        guard !names.isEmpty else { return all }
        var selected: Set<Item> = []
        for wanted in names {
            let matches = all.filter { name($0).lowercased() == wanted.lowercased() }
            guard !matches.isEmpty else {
                throw UnknownSelection(kind: kind, name: wanted, known: all.map(name).sorted())
            }
            selected.formUnion(matches)
        }
        return selected
    }
}
