public import SanctuaryDomain  // the domain's accounts

/// The keeper's session.
public struct AccountFeature: Sendable {
    let port: any Accounts
    /// Deletes the lists of the user who was signed in.
    let forget: @Sendable () async throws -> Void

    /// Returns the account state known to this device.
    public func state() async throws -> AccountState { try await port.state() }

    /// Signs in. The lists of the previous user are deleted first.
    ///
    /// - Throws: before the vendor is asked, `invalidInput` for an empty name or password, and `notForgotten` if the
    ///   previous user's lists cannot be deleted.
    public func signIn(user: String, password: String) async throws -> Account {
        guard !user.isEmpty else { throw FeatureError(.invalidInput, "a user name is needed", subject: "user") }
        guard !password.isEmpty else { throw FeatureError(.invalidInput, "a password is needed", subject: "password") }
        try await forget()
        let account = await Result { try await port.signIn(Credentials(user: user, password: password)) }
        // Deletes lists that were saved in the meantime. If that fails, they remain under the previous user's name and
        // are never shown to another user.
        _ = await Result { try await forget() }
        return try account.get()
    }

    /// Deletes the session on this device, and the user's lists.
    ///
    /// - Throws: `notForgotten` if the user's lists cannot be deleted from this device. The user is signed out
    ///   nevertheless, and the lists are never shown to another user.
    public func signOut() async throws {
        // Deletes before the call, in case the app ends in between, and again after it, whatever its result, for lists
        // that were saved in the meantime. The second result counts.
        _ = await Result { try await forget() }
        let signedOut = await Result { try await port.signOut() }
        let forgotten = await Result { try await forget() }
        try signedOut.get()
        try forgotten.get()
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
