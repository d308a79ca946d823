public import CofferdamContracts  // traits open adapters
public import Testing  // traits conform to its protocols

/// Provides a value to each case of a test, or of each test of a suite: opened before, closed after, never shared.
public struct ScopeTrait<Value: Sendable>: TestTrait, SuiteTrait, TestScoping {
    /// Runs a test with the value.
    public typealias Body = @Sendable (Value) async throws -> Void

    let around: @Sendable (_ test: Test, _ body: @escaping Body) async throws -> Void

    /// True: a suite's trait applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Provides the value to the test for as long as it runs.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await around(test) { value in try await CaseScope.with(value, function) }
        }
    }
}

extension Trait {
    /// Provides a value of your own, which the test gets from ``CaseScope/value(_:)``.
    ///
    /// - Parameter around: opens the value, calls the body with it exactly once, and closes it, whatever the body throws.
    public static func scoped<Value: Sendable>(
        _ type: Value.Type = Value.self,
        _ around: @escaping @Sendable (_ test: Test, _ body: @escaping ScopeTrait<Value>.Body) async throws -> Void
    ) -> Self where Self == ScopeTrait<Value> {
        ScopeTrait(around: around)
    }

    /// Provides a fresh subject of the adapter, at its baseline.
    public static func adapter<Subject: Sendable>(
        _ adapter: AdapterUnderTest<Subject>
    ) -> Self where Self == ScopeTrait<Subject> {
        ScopeTrait { _, body in
            let subject = try await adapter.open()
            do {
                try await adapter.reset(subject)
                try await body(subject)
            } catch {
                await adapter.close(subject)
                throw error
            }
            await adapter.close(subject)
        }
    }
}
