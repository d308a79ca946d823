import CofferdamContracts

/// The mutants of a tool's contract.
struct MutantTooling: Sendable {
    let run: @Sendable (MutantSelection, MutantIsolation?, MutantOptions, ToolProgress) async -> MutationReport
    /// Runs one mutant for another process; returns nil if there is none of that name.
    let serve: @Sendable (MutantID, MutantOptions) async -> MutationRow?

    /// Nil if there is no mutant or no adapter.
    init?<Subject: Sendable>(
        rules: [Rule<Subject>],
        mutants: [Mutant<Subject>],
        adapters: [AdapterUnderTest<Subject>],
        mutated: String?
    ) {
        let fallback = adapters.first { $0.identity.kind == .fake } ?? adapters.first
        let named = mutated.flatMap { name in adapters.first { $0.name == name } }
        guard !mutants.isEmpty, let adapter = mutated == nil ? fallback : named else { return nil }
        serve = { id, options in
            guard let mutant = mutants.first(where: { $0.id == id }) else { return nil }
            return await MutationRunner(rules: rules, adapter: adapter, place: .child, patience: options.patience)
                .run(mutant)
        }
        run = { selection, isolation, options, progress in
            let runner = MutationRunner(
                rules: rules,
                adapter: adapter,
                isolation: isolation,
                patience: options.patience
            )
            let chosen = mutants.filter { selection.includes($0.id) }
            var begun = 0
            var running: [MutantID] = []
            // A fake shares nothing between instances; a vendor's SDK may.
            let atOnce = adapter.identity.kind == .fake ? 4 : 1
            var report = await runner.run(chosen, atOnce: atOnce) { row in
                running.removeAll { $0 == row.id }
                if options.reportedRows.includes(row.isFailure) { progress.tell(row.line) }
            } onBegin: { id in
                begun += 1
                running.append(id)
                progress.show("\(begun) of \(chosen.count): \(running.map(\.description).joined(separator: "; "))")
            }
            report.obliged = report.obliged.filter(selection.obliges)
            return report
        }
    }
}

/// How to run mutants.
struct MutantOptions: Sendable {
    var patience = 4
    var reportedRows = ReportedRows.failures
}

/// The mutants to run.
struct MutantSelection: Sendable, Hashable {
    /// Nil for those of all rules.
    var rules: Set<RuleID>?
    /// Nil for those of all operations.
    var operation: String?

    var isWhole: Bool { rules == nil && operation == nil }

    func includes(_ mutant: MutantID) -> Bool {
        (rules?.contains(mutant.rule) ?? true) && (operation == nil || operation == mutant.operation)
    }

    /// The mutants of one operation prove nothing about the others of their rule.
    func obliges(_ rule: RuleID) -> Bool { operation == nil && (rules?.contains(rule) ?? true) }
}
