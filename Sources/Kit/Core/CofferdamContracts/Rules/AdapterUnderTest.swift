/// Opens fresh subjects of one adapter, one for each case.
public struct AdapterUnderTest<Subject: Sendable>: Sendable {
    /// A short name for reports: "v1", "v2", "fake".
    public let name: String
    /// The capabilities that the adapter declares; rules that require others are skipped.
    public let capabilities: Set<CapabilityTag>
    /// The harness's capabilities; rules that require others are not judged.
    public let harnessCapabilities: Set<HarnessCapability>
    /// The adapter's own deadline for a call, on the run's clock; nil if it has none, or uses another clock.
    ///
    /// A rule's bound must be shorter: otherwise the adapter's deadline could end a call that the rule waits for. A
    /// rule with a longer bound is refused; ``Rule/bounded(by:)`` shortens it.
    public let deadline: Duration?
    /// Its kind and versions, for reports. A live adapter's cases run in a child process if possible; a fake's do not.
    public private(set) var identity: AdapterIdentity
    /// The description from the other build in whose processes the adapter's cases run; nil if the run decides where
    /// they run.
    var elsewhere: AdapterDescription?
    /// Returns a new subject on every call (KIT-09).
    public internal(set) var open: @Sendable () async throws -> Subject
    /// Resets the subject's backend to its baseline; returns once the backend has acknowledged that.
    public let reset: @Sendable (Subject) async throws -> Void
    /// Closes a subject at the end of its case.
    public let close: @Sendable (Subject) async -> Void

    /// Creates an adapter to test.
    ///
    /// - Parameters:
    ///   - deadline: the adapter's own deadline for a call, on the run's clock.
    ///   - identity: a live adapter, by default.
    ///   - reset: does nothing by default, which suits a subject that has its own backend.
    public init(
        name: String,
        capabilities: Set<CapabilityTag> = [],
        harnessCapabilities: Set<HarnessCapability> = [],
        deadline: Duration? = nil,
        identity: AdapterIdentity = AdapterIdentity(),
        open: @escaping @Sendable () async throws -> Subject,
        reset: @escaping @Sendable (Subject) async throws -> Void = { _ in },
        close: @escaping @Sendable (Subject) async -> Void = { _ in }
    ) {
        self.name = name
        self.capabilities = capabilities
        self.harnessCapabilities = harnessCapabilities
        self.deadline = deadline
        self.identity = identity
        self.open = open
        self.reset = reset
        self.close = close
    }

    /// Returns the same adapter with another identity.
    public func identified(as identity: AdapterIdentity) -> AdapterUnderTest {
        var adapter = self
        adapter.identity = identity
        return adapter
    }
}
