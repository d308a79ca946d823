/// Port: the user's session.
///
/// Isolation, cancellation and errors as ``Catalogue`` says. The session is kept under the directory that the app gave
/// when it opened the SDK, and is there after a restart, whichever version of the SDK has stored it: also after a start that
/// was killed while the session was taken over (D25). Who was signed in before the way to the next version is signed in
/// after the way back. A session that began under the next version is not known to the one before, and is there again when
/// the app goes forward.
///
/// Nothing is told to the vendor about launches unless the app's configuration allows it, and the vendor knows one
/// installation by one id, whatever version asks and whoever signs in or out (D28).
public protocol Accounts: Sendable {
    /// Who is signed in, as far as this device knows: asks nobody. Never says `signedOut` before the stored session has
    /// been read (D27); one that cannot be read, on a locked device, is an error, until somebody signs in or out or the SDK is
    /// opened again, and is never deleted for it.
    func state() async throws -> AccountState

    /// Signs in, in place of whoever was.
    ///
    /// - Throws: `authenticationRequired` if the vendor refuses the credentials; the session is unchanged then.
    func signIn(_ credentials: Credentials) async throws -> Account

    /// Forgets the session on this device, reachable or not; where the vendor can revoke it, it is asked to, and a failure of
    /// that is an issue. Signed out already, it changes nothing (D26). Messages that could not be sent yet stay on this
    /// device, for their author only. The session does not come back by way of another version of the SDK.
    func signOut() async throws
}
