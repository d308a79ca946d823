/// What the adapters of a contract are seeded with; its hash goes into the reports (KIT-08).
public struct ContractFixtures: Sendable {
    let text: @Sendable () async throws -> String

    /// - Parameter text: the same text for the same fixtures.
    public init(_ text: @escaping @Sendable () async throws -> String) { self.text = text }

    /// Fixtures whose text is known at once.
    public static func text(_ text: String) -> ContractFixtures { ContractFixtures { text } }
}
