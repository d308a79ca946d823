public import SanctuaryDomain  // the probe's methods use the domain's values

/// The vendor's side for state machine tests and the rules about errors; see ``SanctuaryProbe`` for all other rules.
public protocol ModelProbe: Sendable {
    /// Moves an animal to another group, as the vendor's staff would. The name is the vendor's.
    func setGroup(_ group: String, of id: AnimalID) async throws

    /// Deletes a message as another user.
    func deleteMessage(_ id: MessageID) async throws

    /// Returns the secrets that no text may contain: passwords, then the access tokens and the refresh tokens that the
    /// vendor has received.
    func secrets() async throws -> [String]

    /// Returns the adapter's output besides errors since it was opened: one text for each log line, issue or
    /// attachment.
    func output() async throws -> [String]
}
