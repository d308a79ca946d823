/// Shows that each rule can fail: the clean adapter passes it, and its mutants do not.
public struct MutationRunner<Subject: Sendable>: Sendable {
    private let rules: [Rule<Subject>]
    private let adapter: AdapterUnderTest<Subject>
    private let isolation: MutantIsolation?
    private let place: MutationPlace
    private let steps: CaseSteps

    /// The clock, patience and executor are used as in ``ContractRunner``.
    ///
    /// - Parameters:
    ///   - adapter: the clean adapter, which the mutants decorate.
    ///   - isolation: runs the mutants that declare that they crash; without it they are not judged.
    public init(
        rules: [Rule<Subject>],
        adapter: AdapterUnderTest<Subject>,
        isolation: MutantIsolation? = nil,
        place: MutationPlace = .parent,
        clock: any Clock<Duration> = ContinuousClock(),
        patience: Int = 4,
        executor: (any TaskExecutor)? = nil
    ) {
        self.rules = rules
        self.adapter = adapter
        self.isolation = isolation
        self.place = place
        steps = CaseSteps(clock: clock, patience: max(1, patience), executor: executor)
    }

    /// Runs every mutant.
    ///
    /// - Parameters:
    ///   - atOnce: how many mutants run at the same time; more than one only for an adapter whose instances share
    ///     nothing. Most of the time is spent waiting, because a mutant that hangs is found when its rule's time is up.
    ///   - onRow: receives each row as soon as it is known.
    ///   - onBegin: receives each mutant before it runs.
    /// - Returns: the rows in the order of the mutants. If cancelled, the rows so far, in a report that is not green.
    public func run(
        _ mutants: [Mutant<Subject>],
        atOnce: Int = 1,
        onRow: (MutationRow) -> Void = { _ in },
        onBegin: (MutantID) -> Void = { _ in }
    ) async -> MutationReport {
        var ids: Set<MutantID> = []
        let isFirst = mutants.map { ids.insert($0.id).inserted }
        var rows = [MutationRow?](repeating: nil, count: mutants.count)
        await withTaskGroup(of: (Int, MutationRow).self) { group in
            var waiting = mutants.indices[...]
            func begin() {
                guard !Task.isCancelled, let index = waiting.popFirst() else { return }
                onBegin(mutants[index].id)
                group.addTask {
                    guard isFirst[index] else {
                        return (
                            index, MutationRow(mutants[index], .notJudged, "two mutants of the rule have this name")
                        )
                    }
                    return (index, await run(mutants[index]))
                }
            }
            for _ in 0..<max(1, atOnce) { begin() }
            for await (index, row) in group {
                // A cancelled run says nothing about its mutant.
                if Task.isCancelled { continue }
                begin()
                rows[index] = row
                onRow(row)
            }
        }
        let judged = rules.filter { $0.level == .must && $0.unmet(by: adapter).isEmpty }
        var report = MutationReport(
            rows: rows.compactMap(\.self),
            obliged: RuleDescription.all(of: judged).map(\.id)
        )
        if Task.isCancelled {
            report.stop = "it was interrupted, and \(mutants.count - report.rows.count) mutants were left"
        }
        return report
    }

    /// Runs the mutant's rule on the clean adapter, then on the mutant; if it survives, the other rules too.
    ///
    /// A mutant of an unknown rule, or of a rule that the clean adapter does not pass, is `notJudged`.
    public func run(_ mutant: Mutant<Subject>) async -> MutationRow {
        let named = rules.filter { $0.id == mutant.rule }
        guard let rule = named.first(where: { mutant.operation == nil || $0.operation == mutant.operation }) else {
            let what = mutant.operation.map { " of \($0)" } ?? ""
            return MutationRow(mutant, .notJudged, "there is no rule \(mutant.rule)\(what)")
        }
        if place == .parent {
            let clean = await outcome(of: rule, on: adapter)
            guard clean.outcome != .skipped, clean.notWritten == nil else {
                return MutationRow(mutant, .skipped, clean.detail)
            }
            guard clean.outcome == .passed else {
                return MutationRow(mutant, .notJudged, "clean \(adapter.name): \(Self.text(of: clean))")
            }
            if let isolation, isolation.covers(mayTrap: mutant.crashes) {
                return await isolated(mutant, of: rule, isolation)
            }
            guard !mutant.crashes else {
                return MutationRow(mutant, .notJudged, "it declares that it crashes, and there is no process for it")
            }
        }
        return await here(mutant, of: rule)
    }

    private func here(_ mutant: Mutant<Subject>, of rule: Rule<Subject>) async -> MutationRow {
        var effect = MutantEffect()
        var own = await outcome(of: rule, on: adapter.mutated(by: mutant, effect))
        if own.outcome == .passed {
            // On a machine with too much to do, a mutant may deviate too late to be noticed: it has a second chance.
            effect = MutantEffect()
            own = await outcome(of: rule, on: adapter.mutated(by: mutant, effect))
        }
        switch own.outcome {
        case .failed where effect.hasOccurred: return MutationRow(mutant, .killed, own.detail)
        case .crashed: return MutationRow(mutant, .crashed, own.detail)
        case .timedOut: return MutationRow(mutant, .timedOut, own.detail)
        case .passed where effect.hasOccurred: return await others(than: rule, against: mutant)
        case .passed, .failed:
            return MutationRow(mutant, .noEffect, "the mutant never deviated: \(Self.text(of: own))")
        case .skipped: return MutationRow(mutant, .skipped, own.detail)
        }
    }

    private func isolated(
        _ mutant: Mutant<Subject>,
        of rule: Rule<Subject>,
        _ isolation: MutantIsolation
    ) async -> MutationRow {
        // A survivor is shown to all rules, each with four bounded steps; the process bounds each of them itself.
        let limit = rules.reduce(.seconds(10)) { $0 + steps.limit(of: $1) * 4 }
        do {
            var row = try await isolation.run(mutant.id, limit)
            guard row.id == mutant.id else {
                return MutationRow(mutant, .notJudged, "its process reported \(row.id)")
            }
            if mutant.crashes, row.outcome == .killed { row.detail = "without the declared crash: \(row.detail ?? "")" }
            return row
        } catch let error as ProcessEnded where error.isCrash {
            return MutationRow(mutant, mutant.crashes ? .killed : .crashed, error.description)
        } catch let error as ProcessEnded {
            return MutationRow(mutant, .notJudged, error.description)
        } catch is ProcessOverdue {
            return MutationRow(mutant, .timedOut, "its process did not end within \(limit)")
        } catch is CancellationError {
            return MutationRow(mutant, .notJudged, "the run was cancelled")
        } catch {
            return MutationRow(mutant, .notJudged, Violation("its process could not be run: \(error)").detail)
        }
    }

    private func others(than rule: Rule<Subject>, against mutant: Mutant<Subject>) async -> MutationRow {
        for other in rules where other.name != rule.name {
            let result = await outcome(of: other, on: adapter.mutated(by: mutant, MutantEffect()))
            if result.outcome == .failed {
                return MutationRow(mutant, .killedByOther, "\(other.name): \(result.detail ?? "")")
            }
        }
        return MutationRow(mutant, .survived)
    }

    private func outcome(of rule: Rule<Subject>, on adapter: AdapterUnderTest<Subject>) async -> CaseResult {
        let unmet = rule.unmet(by: adapter)
        guard unmet.isEmpty else { return CaseResult(unmet, of: adapter.name) }
        var freshness = Freshness()
        do {
            return try await steps.judge(rule, on: adapter, &freshness)
        } catch {
            return CaseResult(.skipped, "the run was cancelled")
        }
    }

    private static func text(of result: CaseResult) -> String {
        result.outcome.rawValue + (result.detail.map { ": \($0)" } ?? "")
    }
}

extension AdapterUnderTest {
    fileprivate func mutated(by mutant: Mutant<Subject>, _ effect: MutantEffect) -> AdapterUnderTest {
        var mutated = self
        mutated.open = { mutant.mutate(try await open(), effect) }
        return mutated
    }
}
