/// Port: the user's session.
///
/// Isolation, cancellation and errors as ``Catalogue`` says. The session is kept under the directory that the app gave
/// when it opened the SDK, and is there after a restart.
public protocol Accounts: Sendable {
    /// Who is signed in, as far as this device knows: asks nobody. Never says `signedOut` before the stored session has
    /// been read; one that cannot be read is an error, until somebody signs in or out.
    func state() async throws -> AccountState

    /// Signs in, in place of whoever was.
    ///
    /// - Throws: `authenticationRequired` if the vendor refuses the credentials; the session is unchanged then.
    func signIn(_ credentials: Credentials) async throws -> Account

    /// Forgets the session on this device, reachable or not; where the vendor can revoke it, it is asked to, and a failure of
    /// that is an issue. Signed out already, it changes nothing.
    func signOut() async throws
}
