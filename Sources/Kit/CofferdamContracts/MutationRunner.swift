/// Shows of each rule that it can fail: the clean adapter passes it, and its mutants do not.
public struct MutationRunner<Subject: Sendable>: Sendable {
    private let rules: [Rule<Subject>]
    private let adapter: AdapterUnderTest<Subject>
    private let clock: any Clock<Duration>
    private let patience: Int
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - adapter: the clean one, which the mutants decorate.
    ///   - clock, patience, executor: as ``ContractRunner`` has them.
    public init(
        rules: [Rule<Subject>],
        adapter: AdapterUnderTest<Subject>,
        clock: any Clock<Duration> = ContinuousClock(),
        patience: Int = 4,
        executor: (any TaskExecutor)? = nil
    ) {
        self.rules = rules
        self.adapter = adapter
        self.clock = clock
        self.patience = patience
        self.executor = executor
    }

    /// Runs every mutant, one after the other.
    ///
    /// - Parameter onRow: is told of each row as soon as it is known.
    public func run(
        _ mutants: [Mutant<Subject>],
        onRow: (MutationRow) -> Void = { _ in }
    ) async -> MutationReport {
        var rows: [MutationRow] = []
        for mutant in mutants {
            let row = await run(mutant)
            rows.append(row)
            onRow(row)
        }
        return MutationReport(rows: rows, obliged: rules.filter { $0.level == .must }.map(\.id))
    }

    /// Runs the mutant's rule on the clean adapter, then on the mutant; if it survives, the other rules too.
    ///
    /// A mutant of an unknown rule, and one whose rule the clean adapter does not pass, is not judged: `notJudged`.
    public func run(_ mutant: Mutant<Subject>) async -> MutationRow {
        guard let rule = rules.first(where: { $0.id == mutant.rule }) else {
            return MutationRow(mutant, .notJudged, "there is no rule \(mutant.rule)")
        }
        let clean = await outcome(of: rule, on: adapter)
        guard clean?.outcome == .passed else {
            return MutationRow(mutant, .notJudged, "clean \(adapter.name): \(Self.text(of: clean))")
        }
        let effect = MutantEffect()
        let own = await outcome(of: rule, on: adapter.mutated(by: mutant, effect))
        switch own?.outcome {
        case .violated where effect.hasOccurred: return MutationRow(mutant, .killed, own?.detail)
        case .crashed: return MutationRow(mutant, .crashed, own?.detail)
        case .timedOut: return MutationRow(mutant, .timedOut, own?.detail)
        case .passed where effect.hasOccurred: return await others(than: rule, against: mutant)
        case .passed, .violated:
            return MutationRow(mutant, .noEffect, "the mutant never deviated: \(Self.text(of: own))")
        case .skipped, nil: return MutationRow(mutant, .notJudged, Self.text(of: own))
        }
    }

    private func others(than rule: Rule<Subject>, against mutant: Mutant<Subject>) async -> MutationRow {
        for other in rules where other.id != rule.id {
            let row = await outcome(of: other, on: adapter.mutated(by: mutant, MutantEffect()))
            if row?.outcome == .violated {
                return MutationRow(mutant, .killedByOther, "\(other.id): \(row?.detail ?? "")")
            }
        }
        return MutationRow(mutant, .survived)
    }

    private func outcome(
        of rule: Rule<Subject>,
        on adapter: AdapterUnderTest<Subject>
    ) async -> ContractReport.Row? {
        await ContractRunner(
            rules: [rule],
            adapters: [adapter],
            clock: clock,
            patience: patience,
            executor: executor
        ).row(of: rule, on: adapter)
    }

    private static func text(of row: ContractReport.Row?) -> String {
        guard let row else { return "the run was cancelled" }
        return row.outcome.rawValue + (row.detail.map { ": \($0)" } ?? "")
    }
}

extension AdapterUnderTest {
    fileprivate func mutated(by mutant: Mutant<Subject>, _ effect: MutantEffect) -> AdapterUnderTest {
        let open = self.open
        return AdapterUnderTest(
            name: name,
            capabilities: capabilities,
            open: { mutant.mutate(try await open(), effect) },
            close: close
        )
    }
}
