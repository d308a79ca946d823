/// Opens fresh subjects of one adapter, one for each case.
public struct AdapterUnderTest<Subject: Sendable>: Sendable {
    /// Short, as it stands in reports: "v1", "v2", "fake".
    public let name: String
    /// What the adapter declares to be able to do; rules that need more are skipped.
    public let capabilities: Set<CapabilityTag>
    /// The harness's capabilities; rules that require others are not judged.
    public let harnessCapabilities: Set<HarnessCapability>
    /// How soon the adapter itself gives up a call, by the run's clock; nil: never, or by another clock.
    ///
    /// A rule's bound must be below it: what the adapter's deadline ends would look like something that the rule waited for. A
    /// rule whose bound is not is refused; ``Rule/bounded(by:)`` gives it another one.
    public let deadline: Duration?
    /// What it is, for the reports; a live one's cases run in a child process where there is one, a fake's do not.
    public private(set) var identity: AdapterIdentity
    /// A new subject with every call (KIT-09).
    public internal(set) var open: @Sendable () async throws -> Subject
    /// Puts what is behind the subject into its baseline; returns once that has acknowledged it.
    public let reset: @Sendable (Subject) async throws -> Void
    public let close: @Sendable (Subject) async -> Void

    /// - Parameters:
    ///   - deadline: how soon the adapter itself gives up a call, by the run's clock.
    ///   - identity: a live adapter, by default.
    ///   - reset: nothing to do by default, as for a subject that brings its own world with it.
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

    /// The same adapter under another identity.
    public func identified(as identity: AdapterIdentity) -> AdapterUnderTest {
        var adapter = self
        adapter.identity = identity
        return adapter
    }
}
