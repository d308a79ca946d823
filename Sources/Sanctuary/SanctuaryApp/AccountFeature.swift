public import SanctuaryDomain  // the domain's accounts

/// The keeper's session.
public struct AccountFeature: Sendable {
    let port: any Accounts
    /// Deletes the lists of the user who was signed in.
    let forget: @Sendable () async throws -> Void

    /// Who is signed in, as far as this device knows.
    public func state() async throws -> AccountState { try await port.state() }

    /// Signs in. The lists of the previous user are deleted first.
    ///
    /// - Throws: `invalidInput` for an empty name or password, without asking the vendor; `notForgotten`, without asking it
    ///   either, if what is kept of the previous user cannot be removed.
    public func signIn(user: String, password: String) async throws -> Account {
        guard !user.isEmpty else { throw FeatureError(.invalidInput, "a user name is needed", subject: "user") }
        guard !password.isEmpty else { throw FeatureError(.invalidInput, "a password is needed", subject: "password") }
        try await forget()
        let account = await Result { try await port.signIn(Credentials(user: user, password: password)) }
        // What came meanwhile. If it stays on the disk, it is under the previous user's name, and no other user is shown it.
        _ = await Result { try await forget() }
        return try account.get()
    }

    /// Forgets the session on this device, and what belongs to it.
    ///
    /// - Throws: `notForgotten` if what is kept of the user cannot be removed from this device. The user is signed out all the
    ///   same, and no other user is shown it.
    public func signOut() async throws {
        // Before, in case the app ends in between, and afterwards, however it went, what came meanwhile: that tells.
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
