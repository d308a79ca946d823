/// Checks adapters against rules, one case at a time, with a fresh subject at its baseline for each.
///
/// Every case is bounded: one that hangs is abandoned and reported as `timedOut`. Cases of live adapters, which may
/// trap, run in the isolation if there is one; a case that traps there is reported as `crashed`.
public struct ContractRunner<Subject: Sendable>: Sendable {
    let rules: [Rule<Subject>]
    let adapters: [AdapterUnderTest<Subject>]
    private let deviations: [KnownDeviation]
    private let triesUndeclared: Bool
    private let isolation: CaseIsolation?
    /// The isolations in which the cases of other builds' adapters run, by the adapters' names.
    private var isolations: [String: CaseIsolation] = [:]
    private let failsFast: Bool
    private let steps: CaseSteps

    /// Creates a runner of rules on adapters.
    ///
    /// - Parameters:
    ///   - deviations: known failures, each with an expiry date (KIT-06).
    ///   - triesUndeclared: whether a rule runs even if the adapter lacks a capability for it: it stays skipped, and
    ///     its row says whether it would pass. Its case counts as one that may trap. A rule for which the harness lacks
    ///     a capability is never tried.
    ///   - isolation: runs the cases of live adapters; nil to run them in this process.
    ///   - failsFast: whether the run stops at the first failed row that no known deviation is about.
    ///   - clock: measures the cases and bounds them.
    ///   - patience: how many times its own bound a rule may take before it is abandoned; at least 1.
    ///   - executor: where the cases run.
    public init(
        rules: [Rule<Subject>],
        adapters: [AdapterUnderTest<Subject>],
        deviations: [KnownDeviation] = [],
        triesUndeclared: Bool = false,
        isolation: CaseIsolation? = nil,
        failsFast: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        patience: Int = 4,
        executor: (any TaskExecutor)? = nil
    ) {
        self.rules = rules
        self.adapters = adapters
        self.deviations = deviations
        self.triesUndeclared = triesUndeclared
        self.isolation = isolation
        self.failsFast = failsFast
        steps = CaseSteps(clock: clock, patience: max(1, patience), executor: executor)
    }

    /// Returns the same runner with the isolations in which other builds' adapters run.
    package func running(_ others: [AdapterElsewhere]) -> ContractRunner {
        var runner = self
        for other in others { runner.isolations[other.description.name] = other.isolation }
        return runner
    }

    /// Runs every rule on every adapter. If cancelled, it returns the rows so far, in a report that is not green.
    ///
    /// The caller adds digests and the date.
    ///
    /// - Parameters:
    ///   - part: the cases to run; all by default.
    ///   - onRow: receives each row as soon as it is known.
    ///   - onBegin: receives each case before it runs.
    public func run(
        _ part: Set<ContractReport.Case>? = nil,
        onRow: (ContractReport.Row) -> Void = { _ in },
        onBegin: (ContractReport.Case) -> Void = { _ in }
    ) async -> ContractReport {
        var report = ContractReport(declared: part.map(declared.intersection) ?? declared)
        report.rules = RuleDescription.all(of: rules)
        report.adapters = adapters.map(AdapterDescription.init)
        report.deviations = deviations
        report.findings = namingProblems(of: rules)
        for adapter in adapters {
            var freshness = Freshness()
            for rule in rules where report.declared.contains(.init(rule, on: adapter)) {
                onBegin(.init(rule, on: adapter))
                guard let row = await self.row(of: rule, on: adapter, &freshness) else {
                    return report.stopped("it was interrupted")
                }
                report.rows.append(row)
                onRow(row)
                if failsFast, row.outcome.isFailure, !deviations.contains(where: { $0.isAbout(row) }),
                    report.rows.count < report.declared.count
                {
                    return report.stopped("\(row.id) failed")
                }
            }
        }
        return report
    }

    /// The cases that a whole run must report.
    package var declared: Set<ContractReport.Case> {
        Set(adapters.flatMap { adapter in rules.map { .init($0, on: adapter) } })
    }

    /// Runs one rule on one adapter; returns nil if the caller was cancelled in the meantime.
    package func row(of rule: Rule<Subject>, on adapter: AdapterUnderTest<Subject>) async -> ContractReport.Row? {
        var freshness = Freshness()
        return await row(of: rule, on: adapter, &freshness)
    }

    /// Runs the cases that another process asks for, one after the other, until it asks for no more, or for one that
    /// does not exist.
    package func serve(
        _ requests: AsyncStream<ContractReport.Case>,
        _ answer: (ContractReport.Row) async -> Void
    ) async {
        var freshness = Freshness()
        for await id in requests {
            guard let adapter = adapters.first(where: { $0.name == id.adapter }),
                let rule = rules.first(where: { $0.id == id.rule && $0.operation == id.operation }),
                let row = await row(of: rule, on: adapter, &freshness)
            else { return }
            await answer(row)
        }
    }

    /// How long a case of the rule may take in another process, which bounds the case's four steps itself.
    package func limit(of rule: Rule<Subject>) -> Duration { steps.limit(of: rule) * 4 + .seconds(10) }

    private func row(
        of rule: Rule<Subject>,
        on adapter: AdapterUnderTest<Subject>,
        _ freshness: inout Freshness
    ) async -> ContractReport.Row? {
        let unmet = rule.unmet(by: adapter)
        guard unmet.isEmpty || triesUndeclared && unmet.harnessCapabilities.isEmpty && unmet.inapplicability == nil
        else {
            return Self.row(rule, adapter, CaseResult(unmet, of: adapter.name), .zero)
        }
        guard let row = await tried(rule, on: adapter, isUndeclared: !unmet.isEmpty, &freshness) else { return nil }
        // Another process has skipped it already.
        guard !unmet.isEmpty, row.outcome != .skipped else { return row }
        var skipped = row
        skipped.outcome = .skipped
        skipped.detail = unmet.reason(of: adapter.name) + "; tried anyway: \(row.outcome.rawValue)"
        skipped.missingCapabilities = unmet.capabilities.sorted()
        skipped.worksUndeclared = row.outcome == .passed
        return skipped
    }

    private func tried(
        _ rule: Rule<Subject>,
        on adapter: AdapterUnderTest<Subject>,
        isUndeclared: Bool,
        _ freshness: inout Freshness
    ) async -> ContractReport.Row? {
        let elapsed = Self.stopwatch(steps.clock)
        do {
            if adapter.elsewhere != nil, let isolation = isolations[adapter.name] {
                return try await isolated(rule, on: adapter, isolation, elapsed)
            }
            if let isolation, isolation.covers(mayTrap: adapter.identity.kind == .live || isUndeclared) {
                return try await isolated(rule, on: adapter, isolation, elapsed)
            }
            let result = try await steps.judge(rule, on: adapter, &freshness)
            return Self.row(rule, adapter, result, elapsed())
        } catch {
            return nil
        }
    }

    /// - Throws: `CancellationError`, and only if the caller was cancelled.
    private func isolated(
        _ rule: Rule<Subject>,
        on adapter: AdapterUnderTest<Subject>,
        _ isolation: CaseIsolation,
        _ elapsed: () -> Duration
    ) async throws -> ContractReport.Row {
        let id = ContractReport.Case(rule, on: adapter)
        let limit = limit(of: rule)
        let result: CaseResult
        do {
            let row = try await isolation.run(id, limit)
            if row.id == id { return row }
            result = CaseResult(.crashed, "its process reported \(row.id)")
        } catch let error as ProcessEnded {
            try Task.checkCancellation()
            result = CaseResult(.crashed, error.description)
        } catch is ProcessOverdue {
            result = CaseResult(.timedOut, "its process did not end within \(limit)")
        } catch {
            try Task.checkCancellation()
            result = CaseResult(.crashed, Violation("its process could not be run: \(error)").detail)
        }
        return Self.row(rule, adapter, result, elapsed())
    }

    private static func row(
        _ rule: Rule<Subject>,
        _ adapter: AdapterUnderTest<Subject>,
        _ result: CaseResult,
        _ duration: Duration
    ) -> ContractReport.Row {
        var row = ContractReport.Row(
            rule: rule.id,
            operation: rule.operation,
            level: rule.level,
            adapter: adapter.name,
            outcome: result.outcome,
            seconds: duration / .seconds(1),
            detail: result.detail
        )
        row.missingCapabilities = result.missingCapabilities
        row.missingHarnessCapabilities = result.missingHarnessCapabilities
        row.notWritten = result.notWritten
        return row
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
