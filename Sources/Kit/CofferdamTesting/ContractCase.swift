public import CofferdamContracts  // cases are made of its rules and adapters
public import Testing  // a case is an argument of a parameterised test

/// One rule against one adapter, as an argument of a parameterised test.
///
/// ```swift
/// @Test(arguments: contractCases(rules, adapters))
/// func `keeps the contract`(_ contractCase: ContractCase<Subject>) async { await expect(contractCase) }
/// ```
public struct ContractCase<Subject: Sendable>: Sendable, CustomTestStringConvertible {
    public let rule: Rule<Subject>
    public let adapter: AdapterUnderTest<Subject>

    public init(_ rule: Rule<Subject>, on adapter: AdapterUnderTest<Subject>) {
        self.rule = rule
        self.adapter = adapter
    }

    /// Whether the adapter declares what the rule needs.
    public var isApplicable: Bool { rule.requires.isSubset(of: adapter.capabilities) }

    public var testDescription: String { "\(rule.id) on \(adapter.name)" }
}

/// Every rule on every adapter that it applies to. A pair that does not apply is no case, because the framework would
/// show it as passed: ``skippedContractCases(_:_:)`` has those.
public func contractCases<Subject>(
    _ rules: [Rule<Subject>],
    _ adapters: [AdapterUnderTest<Subject>]
) -> [ContractCase<Subject>] {
    allCases(rules, adapters).filter(\.isApplicable)
}

/// The pairs whose adapter lacks a capability, so that a test can say how many it expects.
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
    if row?.outcome != .passed {
        let outcome = row?.outcome.rawValue ?? "cancelled"
        Issue.record(
            "\(contractCase.testDescription) \(outcome): \(row?.detail ?? "no detail")",
            sourceLocation: sourceLocation
        )
    }
    return row
}
