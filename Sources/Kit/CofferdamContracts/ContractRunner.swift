/// Holds adapters against rules, one case after the other, a fresh subject for each.
///
/// Every case is bounded: one that hangs is abandoned and reported as `timedOut`, and the run goes on.
public struct ContractRunner<Subject: Sendable>: Sendable {
    public let rules: [Rule<Subject>]
    public let adapters: [AdapterUnderTest<Subject>]
    private let clock: any Clock<Duration>
    private let patience: Int
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - clock: measures the cases and bounds them.
    ///   - patience: how many times its own bound a rule may take before it is abandoned; at least 1.
    ///   - executor: where the cases run.
    public init(
        rules: [Rule<Subject>],
        adapters: [AdapterUnderTest<Subject>],
        clock: any Clock<Duration> = ContinuousClock(),
        patience: Int = 4,
        executor: (any TaskExecutor)? = nil
    ) {
        self.rules = rules
        self.adapters = adapters
        self.clock = clock
        self.patience = max(1, patience)
        self.executor = executor
    }

    /// Runs every rule on every adapter. Cancelled, it returns what it has, which is not green.
    ///
    /// The report's digest is left to whoever can hash ``contractText(of:)``.
    ///
    /// - Parameter onRow: is told of each row as soon as it is known.
    public func run(onRow: (ContractReport.Row) -> Void = { _ in }) async -> ContractReport {
        var report = ContractReport(declared: declared)
        for adapter in adapters {
            for rule in rules {
                guard let row = await self.row(of: rule, on: adapter) else { return report }
                report.rows.append(row)
                onRow(row)
            }
        }
        return report
    }

    /// The pairs that a whole run must report.
    public var declared: Set<ContractReport.Pair> {
        Set(adapters.flatMap { adapter in rules.map { .init(rule: $0.id, adapter: adapter.name) } })
    }

    /// Runs one rule on one adapter; nil if the caller was cancelled meanwhile.
    public func row(of rule: Rule<Subject>, on adapter: AdapterUnderTest<Subject>) async -> ContractReport.Row? {
        let missing = rule.requires.subtracting(adapter.capabilities).map(\.rawValue).sorted()
        let elapsed = Self.stopwatch(clock)
        let verdict: Verdict
        if missing.isEmpty {
            do {
                verdict = try await judge(rule, on: adapter)
            } catch {
                return nil
            }
        } else {
            verdict = Verdict(.skipped, "\(adapter.name) does not declare \(missing.joined(separator: ", "))")
        }
        return ContractReport.Row(
            rule: rule.id,
            level: rule.level,
            adapter: adapter.name,
            outcome: verdict.outcome,
            seconds: elapsed() / .seconds(1),
            detail: verdict.detail
        )
    }

    private struct Verdict {
        var outcome: ContractReport.Outcome
        var detail: String?

        init(_ outcome: ContractReport.Outcome, _ detail: String? = nil) {
            self.outcome = outcome
            self.detail = detail
        }
    }

    /// - Throws: `CancellationError`, and only if the caller was cancelled.
    private func judge(_ rule: Rule<Subject>, on adapter: AdapterUnderTest<Subject>) async throws -> Verdict {
        let subject: Subject
        switch try await attempt(rule, adapter.open) {
        case .success(let opened): subject = opened
        case .failure(is Abandoned):
            return Verdict(.timedOut, "\(adapter.name) was not opened within \(limit(of: rule))")
        case .failure(let error): return Verdict(.violated, "\(adapter.name) could not be opened: \(error)")
        }
        let context = RuleContext(
            rule: rule.id,
            capabilities: adapter.capabilities,
            bound: rule.bound,
            clock: clock,
            executor: executor
        )
        let result = try await attempt(rule) { try await rule.body(subject, context) }
        let closing = try await attempt(rule) { await adapter.close(subject) }
        switch (result, closing) {
        case (.failure(is Abandoned), _): return Verdict(.timedOut, "not finished within \(limit(of: rule))")
        case (.failure(let error as BoundExceeded), _): return Verdict(.violated, error.description)
        case (.failure(let error), _): return Verdict(.violated, Violation("threw \(error)").detail)
        case (.success(let violations), _) where !violations.isEmpty:
            return Verdict(.violated, Self.text(of: violations))
        case (.success, .failure): return Verdict(.timedOut, "\(adapter.name) was not closed within \(limit(of: rule))")
        case (.success, .success): return Verdict(.passed)
        }
    }

    /// The first few: a rule that fails for one reason often fails in many places.
    private static func text(of violations: [Violation]) -> String {
        let shown = violations.prefix(5).map(\.detail).joined(separator: "; ")
        return violations.count > 5 ? "\(shown); and \(violations.count - 5) more" : shown
    }

    private func attempt<Value: Sendable>(
        _ rule: Rule<Subject>,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Result<Value, any Error> {
        do {
            return .success(
                try await abandoning(after: limit(of: rule), on: clock, executor: executor, operation)
            )
        } catch {
            try Task.checkCancellation()
            return .failure(error)
        }
    }

    private func limit(of rule: Rule<Subject>) -> Duration { rule.bound * patience }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
