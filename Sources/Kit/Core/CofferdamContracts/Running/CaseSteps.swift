import Cofferdam

/// Runs the steps of one case, each bounded: open, reset, the rule's body, close.
struct CaseSteps: Sendable {
    let clock: any Clock<Duration>
    let patience: Int
    let executor: (any TaskExecutor)?

    func limit<Subject>(of rule: Rule<Subject>) -> Duration { rule.bound * patience }

    /// A case that fails and has met a part that is not written yet fails for that reason.
    ///
    /// - Throws: `CancellationError`, and only if the caller was cancelled.
    func judge<Subject>(
        _ rule: Rule<Subject>,
        on adapter: AdapterUnderTest<Subject>,
        _ freshness: inout Freshness
    ) async throws -> CaseResult {
        let met = NotWritten.Met()
        var result = try await NotWritten.$met.withValue(met) { try await judged(rule, on: adapter, &freshness) }
        guard result.outcome.isFailure, let part = met.first else { return result }
        (result.outcome, result.detail, result.notWritten) = (.failed, part.description, part.description)
        return result
    }

    private func judged<Subject>(
        _ rule: Rule<Subject>,
        on adapter: AdapterUnderTest<Subject>,
        _ freshness: inout Freshness
    ) async throws -> CaseResult {
        if let reason = rule.reasonToRefuse(on: adapter) { return CaseResult(.failed, reason) }
        let subject: Subject
        switch try await attempt(rule, adapter.open) {
        case .success(let opened): subject = opened
        case .failure(is TimedOut):
            return CaseResult(.timedOut, "\(adapter.name) was not opened within \(limit(of: rule))")
        case .failure(let error):
            return CaseResult(.failed, Violation("\(adapter.name) could not be opened: \(error)").detail)
        }
        guard freshness.isNew(subject) else {
            return CaseResult(.failed, "\(adapter.name) opened the same instance for two cases")
        }
        let result = try await drive(subject, rule, adapter)
        if case .failure = try await attempt(rule, { await adapter.close(subject) }), result.outcome == .passed {
            return CaseResult(.timedOut, "\(adapter.name) was not closed within \(limit(of: rule))")
        }
        return result
    }

    private func drive<Subject>(
        _ subject: Subject,
        _ rule: Rule<Subject>,
        _ adapter: AdapterUnderTest<Subject>
    ) async throws -> CaseResult {
        switch try await attempt(rule, { try await adapter.reset(subject) }) {
        case .success: break
        case .failure(is TimedOut):
            return CaseResult(.timedOut, "\(adapter.name) was not at its baseline within \(limit(of: rule))")
        case .failure(let error):
            return CaseResult(.failed, Violation("\(adapter.name) did not reach its baseline: \(error)").detail)
        }
        let context = RuleContext(
            rule: rule.id,
            // A rule that is tried without a capability must do what it does with the capability.
            capabilities: adapter.capabilities.union(rule.requires),
            harnessCapabilities: adapter.harnessCapabilities,
            bound: rule.bound,
            clock: clock,
            executor: executor
        )
        let noted = Findings.Noted()
        let result = try await Findings.$noted.withValue(noted) {
            try await attempt(rule) { try await rule.body(subject, context) }
        }
        switch result {
        case .success(let violations) where violations.isEmpty: return CaseResult(.passed)
        case .success(let violations): return CaseResult(.failed, Self.text(of: violations))
        case .failure(is TimedOut): return CaseResult(.timedOut, "not finished within \(limit(of: rule))")
        case .failure(let unmet as UnmetRequirements):
            // The adapter has broken the rule, even if the rest of it cannot be judged.
            let found = noted.violations
            return found.isEmpty ? CaseResult(unmet, of: adapter.name) : CaseResult(.failed, Self.text(of: found))
        case .failure(let error as BoundExceeded): return CaseResult(.failed, error.description)
        case .failure(let error): return CaseResult(.failed, Violation("threw \(error)").detail)
        }
    }

    /// The first few violations: a rule that fails for one reason often fails in many places.
    private static func text(of violations: [Violation]) -> String {
        let shown = violations.prefix(5).map(\.detail).joined(separator: "; ")
        return violations.count > 5 ? "\(shown); and \(violations.count - 5) more" : shown
    }

    private func attempt<Subject, Value: Sendable>(
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
}

/// The outcome of a case.
struct CaseResult: Sendable {
    var outcome: ContractReport.Outcome
    var detail: String?
    var missingCapabilities: [CapabilityTag]?
    var missingHarnessCapabilities: [HarnessCapability]?
    /// The part that must be written first; nil if the case met none.
    var notWritten: String?

    init(_ outcome: ContractReport.Outcome, _ detail: String? = nil) {
        self.outcome = outcome
        self.detail = detail
    }

    /// Skipped, because something is missing.
    init(_ unmet: UnmetRequirements, of adapter: String) {
        outcome = .skipped
        detail = unmet.reason(of: adapter)
        missingCapabilities = unmet.capabilities.isEmpty ? nil : unmet.capabilities.sorted()
        missingHarnessCapabilities = unmet.leavesUnjudged ? unmet.harnessCapabilities.sorted() : nil
    }
}

/// Checks that an adapter does not return the same instance twice (KIT-09).
struct Freshness {
    private struct Instance {
        weak var object: AnyObject?
    }

    private var previous: [Instance] = []

    /// Returns false for an object of an earlier case that is still alive. Values always count as new.
    mutating func isNew<Subject>(_ subject: Subject) -> Bool {
        guard type(of: subject as Any) is AnyClass else { return true }
        let object = subject as AnyObject
        previous.removeAll { $0.object == nil }
        guard !previous.contains(where: { $0.object === object }) else { return false }
        previous.append(Instance(object: object))
        return true
    }
}
