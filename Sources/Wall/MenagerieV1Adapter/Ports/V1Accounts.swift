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
        let account: Account = try await vendor.call { [vendor] sdk, complete in
            sdk.signIn(user: credentials.user, password: credentials.password) { @Sendable session, error in
                complete(
                    vendor.outcome(session, error) { session throws(SanctuaryError) in
                        try vendor.translate(session, by: .account, "session")
                    }
                )
            }
        }
        vendor.lifetime.storedSessionFailure = nil
        try successor.forgetSession(unlessOf: account.id)
        if let previous, previous != account.id { vendor.lifetime.endSession() }
        return account
    }

    func signOut() async throws {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        try successor.forgetSession(unlessOf: nil)
        do throws(NSError) {
            try Menagerie.shared.signOut()
        } catch {
            throw SanctuaryError(error)
        }
        vendor.lifetime.storedSessionFailure = nil
        vendor.lifetime.endSession()
    }
}
