import Cofferdam

/// What a rule's body can use besides its subject.
public struct RuleContext: Sendable {
    let rule: RuleID
    /// The adapter's declared capabilities.
    public let capabilities: Set<CapabilityTag>
    /// The harness's capabilities.
    public let harnessCapabilities: Set<HarnessCapability>
    /// The rule's bound.
    public let bound: Duration
    /// The run's clock.
    public let clock: any Clock<Duration>
    private let executor: (any TaskExecutor)?

    package init(
        rule: RuleID,
        capabilities: Set<CapabilityTag> = [],
        harnessCapabilities: Set<HarnessCapability> = [],
        bound: Duration = .seconds(10),
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil
    ) {
        self.rule = rule
        self.capabilities = capabilities
        self.harnessCapabilities = harnessCapabilities
        self.bound = bound
        self.clock = clock
        self.executor = executor
    }

    /// Waits for `operation` for at most the rule's bound. If the operation ignores cancellation, it is abandoned.
    ///
    /// - Parameter what: what the rule waits for, for the violation's text.
    /// - Throws: an error if the bound is exceeded, which becomes a violation if the rule's body passes it on; what
    ///   `operation` throws.
    public func within<Value: Sendable>(
        _ what: String,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await abandoning(after: bound, on: clock, executor: executor, operation)
        } catch is TimedOut {
            throw BoundExceeded(what: what, bound: bound)
        }
    }

    /// Checks that an event does not happen before `fence` has taken effect.
    ///
    /// The check does not depend on time: waiting longer would prove no more. (To wait for something, use
    /// ``within(_:_:)``.)
    ///
    /// - Parameter event: returns when the event happens.
    /// - Throws: an error if the event happens or the fence exceeds the bound, which becomes a violation if the rule's
    ///   body passes it on; what the fence throws.
    public func never(
        _ what: String,
        _ event: @escaping @Sendable () async -> Void,
        until fence: @escaping @Sendable () async throws -> Void
    ) async throws {
        let effect = MutantEffect()
        let watch = task {
            await event()
            effect.occurred()
        }
        defer { watch.cancel() }
        try await within("what shows that this does not happen: \(what)", fence)
        // Lets a task that has been resumed record that the event happened.
        for _ in 0..<10 { await Task.yield() }
        if effect.hasOccurred { throw Happened(what: what) }
    }

    /// Starts a task, which the rule must cancel.
    public func task<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task(executorPreference: executor, operation: operation)
    }
}

/// Something happened that must not happen.
package struct Happened: Error, Sendable, Hashable, CustomStringConvertible {
    package let what: String

    package var description: String { "this must not happen: \(what)" }
}

/// Something that a rule waited for did not happen in time.
struct BoundExceeded: Error, Sendable, Hashable, CustomStringConvertible {
    let what: String
    let bound: Duration

    var description: String { "not within \(bound): \(what)" }
}
