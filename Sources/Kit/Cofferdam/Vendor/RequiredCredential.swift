/// A credential that the client knows, perhaps only later: asked for each time it is needed, and a missing one throws.
///
/// Nothing is kept here; a credential that expires and is refreshed is a ``CredentialSource``.
public struct RequiredCredential<Credential: Sendable>: Sendable {
    private let ask: @Sendable () async throws -> Credential?
    private let missing: @Sendable () -> any Error

    /// - Parameters:
    ///   - missing: the error for callers while there is no credential.
    ///   - ask: gives what is known at that moment, nil if nothing is.
    public init(
        missing: @escaping @Sendable () -> any Error,
        ask: @escaping @Sendable () async throws -> Credential?
    ) {
        self.missing = missing
        self.ask = ask
    }

    /// Asks an object of the client's, and does not keep it alive: when it is gone, the credential is missing.
    public init(
        from source: some CredentialDataSource<Credential>,
        missing: @escaping @Sendable () -> any Error
    ) {
        self.init(missing: missing) { [weak source] in try await source?.credential() }
    }

    /// What is known now.
    ///
    /// - Throws: the error for a missing credential, or the client's own.
    public func get() async throws -> Credential {
        guard let credential = try await ask() else { throw missing() }
        return credential
    }

    /// Makes a call with the credential; without one, the call is not made.
    public func use<Value: Sendable>(_ call: (Credential) async throws -> Value) async throws -> Value {
        try await call(try await get())
    }
}

/// A client's object that knows a credential, now or later.
public protocol CredentialDataSource<Credential>: AnyObject, Sendable {
    associatedtype Credential: Sendable

    /// Nil while there is none.
    func credential() async throws -> Credential?
}
