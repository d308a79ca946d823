public import Testing  // traits conform to its protocols

/// Injects a fault into the subject's vendor for the duration of a case.
public struct FaultTrait<Subject: Sendable>: TestTrait, SuiteTrait, TestScoping {
    /// Injects or removes the fault in a subject.
    public typealias Change = @Sendable (Subject) async throws -> Void

    /// The fault's name, for the error if it cannot be injected.
    let name: String
    let inject: Change
    let clear: Change

    /// True: a suite's trait applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Injects the fault, runs the test, and removes the fault.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let subject = try CaseScope.value(Subject.self)
        do {
            try await inject(subject)
        } catch {
            throw FaultNotInjected(name: name, cause: error)
        }
        do {
            try await function()
        } catch {
            try await clear(subject)
            throw error
        }
        try await clear(subject)
    }
}

/// The fault that a test needs could not be injected.
package struct FaultNotInjected: Error, CustomStringConvertible {
    /// The fault's name.
    let name: String
    /// The error that the injection threw.
    let cause: any Error

    /// The fault's name and the cause.
    package var description: String { "the fault '\(name)' could not be injected: \(cause)" }
}

extension Trait {
    /// Injects a fault into the subject that an earlier trait provides.
    ///
    /// ```swift
    /// @Test(.adapter(.fake), .fault("the list stalls") { (store: any Store) in try await store.stall() })
    /// func `a stalled list times out`() async throws {
    ///     let store = try CaseScope.value((any Store).self)
    /// }
    /// ```
    ///
    /// - Parameter clear: removes the fault; does nothing by default, because the subject is closed after the case.
    public static func fault<Subject: Sendable>(
        _ name: String,
        inject: @escaping FaultTrait<Subject>.Change,
        clear: @escaping FaultTrait<Subject>.Change = { _ in }
    ) -> Self where Self == FaultTrait<Subject> {
        FaultTrait(name: name, inject: inject, clear: clear)
    }
}
