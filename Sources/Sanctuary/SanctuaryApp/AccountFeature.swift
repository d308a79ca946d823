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
        return try await forgetting { try await port.signIn(Credentials(user: user, password: password)) }
    }

    /// Forgets the session on this device, and what belongs to it.
    public func signOut() async throws { try await forgetting { try await port.signOut() } }

    /// Forgets before, in case the app ends in between, and afterwards, however it went, what came meanwhile.
    private func forgetting<Value: Sendable>(_ change: @Sendable () async throws -> Value) async throws -> Value {
        await forget()
        do {
            let value = try await change()
            await forget()
            return value
        } catch {
            await forget()
            throw error
        }
    }
}
