public import CofferdamContracts  // a trait knows rules and adapters
public import Testing  // a trait is its

/// Holds a suite, or a parameterised test, to executing every case of a contract (KIT-01).
public struct CoverageTrait: TestTrait, SuiteTrait, TestScoping {
    let declared: Set<ContractReport.Case>
    let sourceLocation: SourceLocation

    /// Once, around all cases.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> CoverageTrait? { testCase == nil ? self : nil }

    /// Runs the tests, and then records an issue for each case that is missing or undeclared.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let ledger = ContractLedger()
        try await ContractLedger.$around.withValue(ContractLedger.around + [ledger]) { try await function() }
        for problem in ledger.problems(declared: declared) {
            Issue.record("\(problem)", sourceLocation: sourceLocation)
        }
    }
}

extension Trait {
    /// Every rule on every adapter that it applies to is executed by ``expect(_:deviations:today:clock:sourceLocation:)`` within the suite or
    /// the test, and nothing else; otherwise an issue is recorded for each that is missing.
    ///
    /// ```swift
    /// @Suite(.coversContract(rules, on: adapters)) struct StorageTests {
    ///     @Test(arguments: contractCases(rules, adapters))
    ///     func `keeps the contract`(_ contractCase: ContractCase<Subject>) async { await expect(contractCase) }
    /// }
    /// ```
    ///
    /// Put it on the suite: the framework passes over a test that has no cases without a word. A run whose `--filter` leaves
    /// the whole suite out is out of its reach, and one that leaves out some of the suite's tests fails; use
    /// ``ContractFilter`` to choose cases.
    ///
    /// - Parameter filter: as ``contractCases(_:_:filter:)`` has it.
    public static func coversContract<Subject>(
        _ rules: [Rule<Subject>],
        on adapters: [AdapterUnderTest<Subject>],
        filter: ContractFilter = .environment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self where Self == CoverageTrait {
        let cases = contractCases(rules, adapters, filter: filter)
        return CoverageTrait(
            declared: Set(cases.map(\.id)),
            sourceLocation: sourceLocation
        )
    }
}
