#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Accounts, with the session in the vendor's own store. The vendor's `signOut()` is not used: it deletes unsent
/// messages and the installation's id, and throws when called twice.
struct V2Accounts: Accounts {
    let connection: Connection

    func state() async throws -> AccountState {
        try connection.requireOpen()
        try Task.checkCancellation()
        do {
            if connection.storedSessionFailure.withLock({ $0 }) != nil { try await connection.finishOpening() }
            if let failure = connection.storedSessionFailure.withLock({ $0 }) { throw failure }
            guard let session = await connection.credentials.current else { return .signedOut }
            return .signedIn(try await connection.read(session.account, as: .accounts, of: "state"))
        } catch {
            throw connection.portError(error)
        }
    }

    func signIn(_ credentials: Credentials) async throws -> SanctuaryDomain.Account {
        try await connection.perform(subject: credentials.user) { [connection] in
            let grant = try await connection.ask { client in
                try await client.authenticate(user: credentials.user, password: credentials.password)
            }
            let account = try await connection.read(grant.account, as: .accounts, of: "signIn")
            try Task.checkCancellation()
            try await connection.keep(grant)
            return account
        }
    }

    func signOut() async throws {
        try await connection.perform(needsSDK: false) { [connection] in
            let session = try await connection.sessionTurn.run {
                let session = await connection.credentials.current
                try connection.legacyArchive.delete()
                try await connection.credentials.set(nil)
                connection.storedSessionFailure.withLock { $0 = nil }
                return session
            }
            connection.subscriptions.endSession()
            if let session, !session.awaitsExchange {
                await connection.client.revoke(session, connection.configuration)
            }
        }
    }
}

extension Connection {
    /// Stores a new session. V1's session of another user is deleted first, because it would be restored otherwise.
    fileprivate func keep(_ grant: TokenGrant) async throws {
        let previous = try await sessionTurn.run {
            let previous = await credentials.current?.account.id
            if !legacyArchive.belongs(to: grant.account.id) { try legacyArchive.delete() }
            try await credentials.set(MenagerieV2.Session(grant))
            storedSessionFailure.withLock { $0 = nil }
            return previous
        }
        if previous != grant.account.id { subscriptions.endSession() }
        await takeUnsent(of: grant.account.id)
    }
}
#endif
