public import SanctuaryDomain  // the domain's accounts

/// The keeper's session.
public struct AccountFeature: Sendable {
    let port: any Accounts

    /// Who is signed in, as far as this device knows.
    public func state() async throws -> AccountState { try await port.state() }

    /// - Throws: `invalidInput` for an empty name or password, without asking the vendor.
    public func signIn(user: String, password: String) async throws -> Account {
        guard !user.isEmpty else { throw FeatureError(.invalidInput, "a user name is needed", subject: "user") }
        guard !password.isEmpty else { throw FeatureError(.invalidInput, "a password is needed", subject: "password") }
        return try await port.signIn(Credentials(user: user, password: password))
    }

    /// Forgets the session on this device.
    public func signOut() async throws { try await port.signOut() }
}
