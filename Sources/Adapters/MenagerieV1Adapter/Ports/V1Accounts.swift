#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

struct V1Accounts: Accounts {
    let vendor: Vendor
    let successor: SuccessorState

    func state() async throws -> AccountState {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        if let failure = vendor.lifetime.storedSessionFailure { throw failure }
        guard let session = Menagerie.shared.session else { return .signedOut }
        return .signedIn(try vendor.translate(session, by: .account, "session"))
    }

    func signIn(_ credentials: Credentials) async throws -> Account {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        try successor.checkSession()
        let previous = Menagerie.shared.session?.userID
        let account: Account
        do {
            account = try await vendor.call { sdk, answer in
                sdk.signIn(user: credentials.user, password: credentials.password, completion: answer)
            } translate: { [vendor] session throws(SanctuaryError) in
                try vendor.translate(session, by: .account, "session")
            }
        } catch {
            // After a cancellation or an unreadable answer the vendor may still have stored the session.
            if Menagerie.shared.session?.userID != previous { try? supersede(previous) }
            throw error
        }
        try supersede(previous)
        return account
    }

    /// Ends the previous user's state after a sign-in.
    private func supersede(_ previous: String?) throws(SanctuaryError) {
        let user = Menagerie.shared.session?.userID
        vendor.lifetime.storedSessionFailure = nil
        if let previous, previous != user { vendor.lifetime.endSession() }
        try successor.forgetSession(unlessOwnedBy: user)
    }

    func signOut() async throws {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        try successor.forgetSession(unlessOwnedBy: nil)
        do throws(NSError) {
            try Menagerie.shared.signOut()
        } catch {
            throw SanctuaryError(error)
        }
        vendor.lifetime.storedSessionFailure = nil
        vendor.lifetime.endSession()
    }
}
#endif
