public import CofferdamContracts  // traits take rules and adapters
public import Testing  // traits conform to its protocols

/// Requires a suite, or a parameterised test, to execute every case of a contract (KIT-01).
public struct CoverageTrait: TestTrait, SuiteTrait, TestScoping {
    let declared: Set<ContractReport.Case>
    let sourceLocation: SourceLocation

    /// Applies the trait once, around all cases.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> CoverageTrait? { testCase == nil ? self : nil }

    /// Runs the tests, and then records an issue for each case that is missing or undeclared.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let ledger = ContractLedger()
        try await ContractLedger.$enclosing.withValue(ContractLedger.enclosing + [ledger]) { try await function() }
        for problem in ledger.problems(declared: declared) {
            Issue.record("\(problem)", sourceLocation: sourceLocation)
        }
    }
}

extension Trait {
    /// Requires the suite or the test to execute every rule on every adapter that it applies to, and no other case,
    /// with ``expect(_:deviations:today:clock:sourceLocation:)``. Records an issue for each case that is missing or
    /// undeclared.
    ///
    /// ```swift
    /// @Suite(.coversContract(rules, on: adapters)) struct StorageTests {
    ///     @Test(arguments: contractCases(rules, adapters))
    ///     func `keeps the contract`(_ contractCase: ContractCase<Subject>) async { await expect(contractCase) }
    /// }
    /// ```
    ///
    /// Put it on the suite: the framework silently skips a test that has no cases. The trait cannot check a run whose
    /// `--filter` leaves out the whole suite, and fails one that leaves out some of the suite's tests; use
    /// ``ContractFilter`` to select cases.
    ///
    /// - Parameter filter: the cases to execute, as in ``contractCases(_:_:filter:)``.
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
