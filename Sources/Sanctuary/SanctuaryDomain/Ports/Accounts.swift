/// Port: the user's session.
///
/// Isolation, cancellation and errors are those of ``Catalogue``. The session is stored in the directory that the app
/// passed when it opened the SDK. It survives a restart, whichever version of the SDK stored it, and also a start that
/// was killed while taking the session over (D25). A user signed in before the move to the next version is still signed
/// in after the way back. A session that began under the next version is unknown to the previous one, and is there
/// again when the app moves forward.
///
/// No launches are reported to the vendor unless the app's configuration allows it. The vendor knows an installation by
/// one id, regardless of the SDK's version and the signed-in user (D28).
public protocol Accounts: Sendable {
    /// Returns the account state known to this device, without asking the vendor. It never returns `signedOut` before
    /// the stored session has been read (D27). A session that cannot be read, on a locked device, is an error until a
    /// user signs in or out or the SDK is opened again, and is never deleted because of it.
    func state() async throws -> AccountState

    /// Signs a user in, replacing the current one.
    ///
    /// - Throws: `authenticationRequired` if the vendor rejects the credentials; the session is then unchanged.
    func signIn(_ credentials: Credentials) async throws -> Account

    /// Deletes the session on this device, whether or not the vendor is reachable. If the vendor can revoke it, it is
    /// asked to, and a failure of that is reported as an issue. Has no effect if signed out already (D26). Unsent
    /// messages stay on this device, for their author only. Another version of the SDK does not restore the session.
    func signOut() async throws
}
