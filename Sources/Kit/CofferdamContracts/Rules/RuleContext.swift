import Cofferdam

/// What a rule's body may use beside its subject.
public struct RuleContext: Sendable {
    public let rule: RuleID
    /// What the adapter declares.
    public let capabilities: Set<CapabilityTag>
    /// The harness's capabilities.
    public let harnessCapabilities: Set<HarnessCapability>
    /// T of the rule.
    public let bound: Duration
    /// The run's clock.
    public let clock: any Clock<Duration>
    private let executor: (any TaskExecutor)?

    public init(
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

    /// Waits for `operation`, at most T: one that does not heed cancellation is abandoned, not waited for.
    ///
    /// - Parameter what: what is waited for, as the violation is to say.
    /// - Throws: ``BoundExceeded``, which as an error of the rule's body is a violation; what `operation` throws.
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

    /// Shows that something does not happen: `fence` is carried out meanwhile, and what it brings about comes after it.
    ///
    /// Time plays no part in it: waiting longer would show no more. (What a rule waits for goes by ``within(_:_:)``.)
    ///
    /// - Parameter event: returns when it does happen.
    /// - Throws: ``Happened``, which as an error of the rule's body is a violation; ``BoundExceeded`` if the fence is not
    ///   done in time; what the fence throws.
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
        // Who has been resumed gets to say so.
        for _ in 0..<10 { await Task.yield() }
        if effect.hasOccurred { throw Happened(what: what) }
    }

    /// A task of the rule's own, to be cancelled by it.
    public func task<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task(executorPreference: executor, operation: operation)
    }
}

/// Something happened that must not.
public struct Happened: Error, Sendable, Hashable, CustomStringConvertible {
    public let what: String

    public var description: String { "this must not happen: \(what)" }
}

/// Something that a rule waited for did not happen in its time.
public struct BoundExceeded: Error, Sendable, Hashable, CustomStringConvertible {
    public let what: String
    public let bound: Duration

    public var description: String { "not within \(bound): \(what)" }
}
