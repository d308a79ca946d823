public import SanctuaryDomain  // the domain's accounts

/// The keeper's session.
public struct AccountFeature: Sendable {
    let port: any Accounts
    /// Forgets what belongs to whoever was signed in.
    let forget: @Sendable () async -> Void

    /// Who is signed in, as far as this device knows.
    public func state() async throws -> AccountState { try await port.state() }

    /// Signs in, in place of whoever was, of whom nothing is shown or kept any more.
    ///
    /// - Throws: `invalidInput` for an empty name or password, without asking the vendor.
    public func signIn(user: String, password: String) async throws -> Account {
        guard !user.isEmpty else { throw FeatureError(.invalidInput, "a user name is needed", subject: "user") }
        guard !password.isEmpty else { throw FeatureError(.invalidInput, "a password is needed", subject: "password") }
        // Before, in case the app ends in between; and afterwards what came meanwhile.
        await forget()
        let account = try await port.signIn(Credentials(user: user, password: password))
        await forget()
        return account
    }

    /// Forgets the session on this device, and what belongs to it.
    public func signOut() async throws {
        await forget()
        try await port.signOut()
        await forget()
    }
}
