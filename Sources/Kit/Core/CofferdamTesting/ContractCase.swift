import Cofferdam
public import CofferdamContracts  // cases are made of its rules and adapters
public import Testing  // a case is an argument of a parameterised test

#if canImport(FoundationEssentials)
public import FoundationEssentials  // the current day
#else
public import Foundation
#endif

/// One rule, of one operation, against one adapter, as an argument of a parameterised test.
///
/// ```swift
/// @Test(arguments: contractCases(rules, adapters))
/// func `keeps the contract`(_ contractCase: ContractCase<Subject>) async { await expect(contractCase) }
///
/// // `swift test --filter LIST-01` finds this one: filters match the names of functions.
/// @Test(arguments: contractCases(of: "LIST-01", in: rules, adapters))
/// func `LIST-01 every item once`(_ contractCase: ContractCase<Subject>) async { await expect(contractCase) }
/// ```
public struct ContractCase<Subject: Sendable>: Sendable, CustomTestStringConvertible {
    /// The rule to check.
    public let rule: Rule<Subject>
    /// The adapter to check it on.
    public let adapter: AdapterUnderTest<Subject>

    /// Pairs a rule with an adapter.
    package init(_ rule: Rule<Subject>, on adapter: AdapterUnderTest<Subject>) {
        self.rule = rule
        self.adapter = adapter
    }

    var id: ContractReport.Case { .init(rule: rule.id, operation: rule.operation, adapter: adapter.name) }

    /// Whether the adapter and its harness have the capabilities that the rule requires.
    public var isApplicable: Bool { rule.unmet(by: adapter).isEmpty }

    /// The rule's and the adapter's names, as the test report shows them.
    public var testDescription: String { "\(rule.name) on \(adapter.name)" }
}

/// Returns every rule on every adapter that it applies to. Pairs that do not apply are left out, because the framework
/// would show them as passed; ``skippedContractCases(_:_:)`` returns those.
///
/// A parameterised test without arguments runs nothing and passes. So if no case is left, because there are no rules, no
/// adapters, or no rule applies, the result is one failing case that says why.
///
/// - Parameter filter: the cases to return; by default those that the environment selects. A name that the contract
///   does not have becomes a failing case.
public func contractCases<Subject>(
    _ rules: [Rule<Subject>],
    _ adapters: [AdapterUnderTest<Subject>],
    filter: ContractFilter = .environment
) -> [ContractCase<Subject>] {
    if rules.isEmpty { return failingCases(["the contract has no rules, so nothing was checked"], adapters) }
    if adapters.isEmpty { return failingCases(["the contract has no adapters, so nothing was checked"], adapters) }
    let errors = filter.unknown(Set(rules.map(\.id)), Set(adapters.map(\.name)))
    guard errors.isEmpty else { return failingCases(errors, adapters) }
    let chosen = allCases(rules, adapters).filter { filter.includes($0.rule.id, $0.adapter.name) }
    let cases = chosen.filter(\.isApplicable)
    return cases.isEmpty ? failingCases([noneApplies(chosen)], adapters) : cases
}

/// Says of the first of these cases, none of which is applicable, what it lacks.
private func noneApplies<Subject>(_ cases: [ContractCase<Subject>]) -> String {
    let missing = cases.first.map { first in
        "; \(first.testDescription) is skipped: \(first.rule.unmet(by: first.adapter))"
    }
    return "no rule applies to any adapter, so nothing was checked" + (missing ?? "")
}

/// Returns one rule on every adapter that it applies to, for a test whose name contains the rule's id.
///
/// A rule that the contract does not have becomes a failing case.
public func contractCases<Subject>(
    of rule: RuleID,
    in rules: [Rule<Subject>],
    _ adapters: [AdapterUnderTest<Subject>]
) -> [ContractCase<Subject>] {
    contractCases(rules, adapters, filter: ContractFilter(rules: [rule]))
}

/// Returns the pairs whose adapter or harness lacks a capability that the rule requires, so that a test can say how
/// many it expects.
public func skippedContractCases<Subject>(
    _ rules: [Rule<Subject>],
    _ adapters: [AdapterUnderTest<Subject>]
) -> [ContractCase<Subject>] {
    allCases(rules, adapters).filter { !$0.isApplicable }
}

private func allCases<Subject>(
    _ rules: [Rule<Subject>],
    _ adapters: [AdapterUnderTest<Subject>]
) -> [ContractCase<Subject>] {
    adapters.flatMap { adapter in rules.map { ContractCase($0, on: adapter) } }
}

private func failingCases<Subject>(
    _ errors: [String],
    _ adapters: [AdapterUnderTest<Subject>]
) -> [ContractCase<Subject>] {
    errors.map { error in
        // With no adapters, opening this one is what fails.
        let none = AdapterUnderTest<Subject>(
            name: "no adapter",
            identity: AdapterIdentity(.fake),
            open: { throw NothingChecked(description: error) }
        )
        return ContractCase(Rule("FILTER-00", error) { _, _ in [Violation(error)] }, on: adapters.first ?? none)
    }
}

private struct NothingChecked: Error, CustomStringConvertible {
    let description: String
}

/// Runs the case, and records an issue that names rule, operation and adapter if it fails. Cases that need the same part
/// of what `new-port` generated, which is not written yet, have one issue together. A known failure becomes a known
/// issue; a case that was skipped or could not be judged becomes a warning (from Swift 6.3 on).
///
/// On Linux, a live adapter's cases run in a child process, which runs the test again for that adapter: if the vendor's
/// code traps, that case counts as crashed and the others still run. On other platforms, for a fake, and with
/// `COFFERDAM_IN_PROCESS` in the environment, cases run in the test's own process.
///
/// - Parameters:
///   - deviations: the known failures. A case that passes although it is known to fail every time is an issue.
///   - today: the day that decides which deviations have expired.
/// - Returns: the case's result; nil if the test was cancelled.
@discardableResult
public func expect<Subject>(
    _ contractCase: ContractCase<Subject>,
    deviations: [KnownDeviation] = [],
    today: CalendarDay = CalendarDay(secondsSince1970: Int(Date().timeIntervalSince1970)),
    clock: any Clock<Duration> = ContinuousClock(),
    sourceLocation: SourceLocation = #_sourceLocation
) async -> ContractReport.Row? {
    #if os(Linux)
    if let worker = CaseWorkers.own {
        return await worker.run(
            contractCase,
            ContractRunner(rules: [contractCase.rule], adapters: [contractCase.adapter], clock: clock)
        )
    }
    #endif
    let runner = ContractRunner(
        rules: [contractCase.rule],
        adapters: [contractCase.adapter],
        isolation: CaseWorkers.isolation(),
        clock: clock
    )
    guard let row = await runner.row(of: contractCase.rule, on: contractCase.adapter) else {
        Issue.record("\(contractCase.testDescription) was cancelled", sourceLocation: sourceLocation)
        return nil
    }
    ContractLedger.note(row)
    let known = deviations.first { $0.isAbout(row) && !$0.hasExpired(on: today) }
    switch row.outcome {
    case .passed:
        if let known, !known.isIntermittent {
            Issue.record("\(row.id) is known to deviate, and passed: \(known.link)", sourceLocation: sourceLocation)
        }
    case .skipped:
        #if compiler(>=6.3)
        Issue.record("\(row.failure)", severity: .warning, sourceLocation: sourceLocation)
        #endif
    case .failed where row.notWritten.map(ReportedParts.isReported) ?? false: break
    case .failed, .crashed, .timedOut:
        guard let known, known.outcome == row.outcome else {
            Issue.record("\(row.failure)", sourceLocation: sourceLocation)
            break
        }
        withKnownIssue("\(known.note)", sourceLocation: sourceLocation) {
            Issue.record("\(row.failure)", sourceLocation: sourceLocation)
        }
    }
    return row
}

/// The parts that are still to be written, and for which an issue was recorded in this process: one is enough, however
/// many cases need the part.
private enum ReportedParts {
    private static let parts = Mutex<Set<String>>([])

    static func isReported(_ part: String) -> Bool { parts.withLock { !$0.insert(part).inserted } }
}

/// Records an issue for everything that keeps a report from being green.
public func expectGreen(_ report: ContractReport, sourceLocation: SourceLocation = #_sourceLocation) {
    for failure in report.failures.map(\.failure) + report.problems {
        Issue.record("\(failure)", sourceLocation: sourceLocation)
    }
}
