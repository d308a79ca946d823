public import CofferdamContracts  // cases are made of its rules and adapters
public import Testing  // a case is an argument of a parameterised test

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
    public let rule: Rule<Subject>
    public let adapter: AdapterUnderTest<Subject>

    public init(_ rule: Rule<Subject>, on adapter: AdapterUnderTest<Subject>) {
        self.rule = rule
        self.adapter = adapter
    }

    var id: ContractReport.Case { .init(rule: rule.id, operation: rule.operation, adapter: adapter.name) }

    /// Whether the adapter declares what the rule needs, and its stand can do it.
    public var isApplicable: Bool { rule.unmet(by: adapter).isEmpty }

    public var testDescription: String { "\(rule.name) on \(adapter.name)" }
}

/// Every rule on every adapter that it applies to. A pair that does not apply is no case, because the framework would
/// show it as passed: ``skippedContractCases(_:_:)`` has those.
///
/// - Parameter filter: by default what the environment asks for. A name in it that the contract does not have becomes a
///   case that fails.
public func contractCases<Subject>(
    _ rules: [Rule<Subject>],
    _ adapters: [AdapterUnderTest<Subject>],
    filter: ContractFilter = .environment
) -> [ContractCase<Subject>] {
    let slips = filter.unknown(Set(rules.map(\.id)), Set(adapters.map(\.name)))
    guard slips.isEmpty else { return failingCases(slips, adapters) }
    return allCases(rules, adapters).filter { $0.isApplicable && filter.includes($0.rule.id, $0.adapter.name) }
}

/// One rule on every adapter that it applies to, for a test whose name bears the rule's id.
///
/// A rule that the contract does not have becomes a case that fails.
public func contractCases<Subject>(
    of rule: RuleID,
    in rules: [Rule<Subject>],
    _ adapters: [AdapterUnderTest<Subject>]
) -> [ContractCase<Subject>] {
    contractCases(rules, adapters, filter: ContractFilter(rules: [rule]))
}

/// The pairs whose adapter lacks a capability or whose stand lacks a power, so that a test can say how many it expects.
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
    _ slips: [String],
    _ adapters: [AdapterUnderTest<Subject>]
) -> [ContractCase<Subject>] {
    adapters.prefix(1).flatMap { adapter in
        slips.map { slip in ContractCase(Rule("FILTER-00", slip) { _, _ in [Violation(slip)] }, on: adapter) }
    }
}

/// Runs the case, and records an issue that names rule and adapter unless it passed: for a skipped one too.
///
/// - Returns: what the case came to; nil if the test was cancelled.
@discardableResult
public func expect<Subject>(
    _ contractCase: ContractCase<Subject>,
    clock: any Clock<Duration> = ContinuousClock(),
    sourceLocation: SourceLocation = #_sourceLocation
) async -> ContractReport.Row? {
    let runner = ContractRunner(rules: [contractCase.rule], adapters: [contractCase.adapter], clock: clock)
    let row = await runner.row(of: contractCase.rule, on: contractCase.adapter)
    if let row { ContractLedger.note(row) }
    if row?.outcome != .passed {
        let failure = row?.failure ?? "\(contractCase.testDescription) cancelled"
        Issue.record("\(failure)", sourceLocation: sourceLocation)
    }
    return row
}

/// Records an issue for everything that keeps a report from being green.
public func expectGreen(_ report: ContractReport, sourceLocation: SourceLocation = #_sourceLocation) {
    for failure in report.failures.map(\.failure) + report.problems {
        Issue.record("\(failure)", sourceLocation: sourceLocation)
    }
}
