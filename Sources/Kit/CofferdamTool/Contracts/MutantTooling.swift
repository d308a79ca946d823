import CofferdamContracts

/// The mutants of a tool's contract.
struct MutantTooling: Sendable {
    let run: @Sendable (MutantSelection, MutantIsolation?, MutationPlace, ToolProgress) async -> MutationReport

    /// Nil where there is no mutant, or no adapter.
    init?<Subject: Sendable>(
        rules: [Rule<Subject>],
        mutants: [Mutant<Subject>],
        adapters: [AdapterUnderTest<Subject>],
        mutated: String?
    ) {
        let fallback = adapters.first { $0.identity.kind == .fake } ?? adapters.first
        let named = mutated.flatMap { name in adapters.first { $0.name == name } }
        guard !mutants.isEmpty, let adapter = mutated == nil ? fallback : named else { return nil }
        run = { selection, isolation, place, progress in
            let runner = MutationRunner(rules: rules, adapter: adapter, isolation: isolation, place: place)
            let chosen = mutants.filter { selection.includes($0.id) }
            var done = 0
            // A fake is the app's own, and shares nothing; of a vendor's SDK nobody knows.
            let atOnce = adapter.identity.kind == .fake ? 4 : 1
            var report = await runner.run(chosen, atOnce: atOnce) { row in
                done += 1
                progress.show("\(done) of \(chosen.count): \(row.id): \(row.outcome.rawValue)")
            }
            report.obliged = report.obliged.filter(selection.obliges)
            return report
        }
    }
}

/// Which mutants are to be run.
struct MutantSelection: Sendable, Hashable {
    /// Nil: those of all rules.
    var rules: Set<RuleID>?
    /// Nil: of all operations.
    var operation: String?
    /// Nil: all of those rules.
    var name: String?

    var isWhole: Bool { rules == nil && operation == nil && name == nil }

    func includes(_ mutant: MutantID) -> Bool {
        (rules?.contains(mutant.rule) ?? true) && (operation == nil || operation == mutant.operation)
            && (name == nil || name == mutant.mutant)
    }

    /// One mutant by its name proves nothing about the others of its rule.
    func obliges(_ rule: RuleID) -> Bool { isOfRules && (rules?.contains(rule) ?? true) }

    private var isOfRules: Bool { operation == nil && name == nil }
}
