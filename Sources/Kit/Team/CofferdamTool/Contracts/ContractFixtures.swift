/// The data with which the adapters of a contract are seeded. Its hash goes into the reports (KIT-08).
public struct ContractFixtures: Sendable {
    let text: @Sendable () async throws -> String

    /// - Parameter text: returns the same text for the same fixtures.
    public init(_ text: @escaping @Sendable () async throws -> String) { self.text = text }

    /// Creates fixtures from a text.
    public static func text(_ text: String) -> ContractFixtures { ContractFixtures { text } }
}
