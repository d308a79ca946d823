/// A client's credential that is read each time it is needed; a missing one throws.
///
/// It keeps nothing. For a credential that expires and is refreshed use a `CredentialSource`.
public struct RequiredCredential<Credential: Sendable>: Sendable {
    private let ask: @Sendable () async throws -> Credential?
    private let missing: @Sendable () -> any Error

    /// - Parameters:
    ///   - missing: the error for callers while there is no credential.
    ///   - ask: returns the current credential; nil if there is none.
    public init(
        missing: @escaping @Sendable () -> any Error,
        ask: @escaping @Sendable () async throws -> Credential?
    ) {
        self.missing = missing
        self.ask = ask
    }

    /// Reads the credential from a weakly held object; when the object is gone, the credential is missing.
    public init(
        from source: some CredentialDataSource<Credential>,
        missing: @escaping @Sendable () -> any Error
    ) {
        self.init(missing: missing) { [weak source] in try await source?.credential() }
    }

    /// Returns the current credential.
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

/// An object that has a credential, now or later.
public protocol CredentialDataSource<Credential>: AnyObject, Sendable {
    associatedtype Credential: Sendable

    /// Returns the credential; nil while there is none.
    func credential() async throws -> Credential?
}
