/// Checks adapters against rules, and reports each failure as a line of text: for use with any test framework.
///
/// ```swift
/// func testContract() async {
///     await checkContract(rules, on: adapters) { XCTFail($0) }
/// }
/// ```
///
/// A run without any executed case fails as well.
///
/// - Parameters:
///   - part: the cases to run; all by default.
///   - fail: called with each failure as soon as it is known.
@discardableResult
public func checkContract<Subject>(
    _ rules: [Rule<Subject>],
    on adapters: [AdapterUnderTest<Subject>],
    part: Set<ContractReport.Case>? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    fail: (_ failure: String) -> Void
) async -> ContractReport {
    let report = await ContractRunner(rules: rules, adapters: adapters, clock: clock).run(part) { row in
        if row.outcome.isFailure { fail(row.failure) }
    }
    for problem in report.problems { fail(problem) }
    return report
}

extension ContractReport.Row {
    /// "LIST-01 on v1 failed: item 3 is missing".
    package var failure: String { "\(id) \(outcome.rawValue): \(detail ?? "no detail")" }
}
