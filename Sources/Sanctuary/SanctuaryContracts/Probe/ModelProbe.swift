public import SanctuaryDomain  // the probe speaks of the domain's values

/// What models and the rules of errors need of the vendor beside what every rule needs.
public protocol ModelProbe: Sendable {
    /// The vendor's staff moves an animal to another group, by the vendor's word for it.
    func setGroup(_ group: String, of id: AnimalID) async throws

    /// Another user deletes a message.
    func deleteMessage(_ id: MessageID) async throws

    /// Passwords, then the access tokens and then the refresh tokens that the vendor has been shown: what must occur in no
    /// text.
    func secrets() async throws -> [String]

    /// What the adapter has said beside errors since it was opened, one text for each line of a log, issue or attachment.
    func output() async throws -> [String]
}
