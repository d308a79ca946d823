/// Opens fresh subjects of one adapter, one for each case.
public struct AdapterUnderTest<Subject: Sendable>: Sendable {
    /// Short, as it stands in reports: "v1", "v2", "fake".
    public let name: String
    /// What the adapter declares to be able to do; rules that need more are skipped.
    public let capabilities: Set<CapabilityTag>
    public let open: @Sendable () async throws -> Subject
    public let close: @Sendable (Subject) async -> Void

    public init(
        name: String,
        capabilities: Set<CapabilityTag> = [],
        open: @escaping @Sendable () async throws -> Subject,
        close: @escaping @Sendable (Subject) async -> Void = { _ in }
    ) {
        self.name = name
        self.capabilities = capabilities
        self.open = open
        self.close = close
    }
}
