import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

struct FakeAccounts: Accounts {
    let session: FakeSession

    func state() async throws -> AccountState {
        try Task.checkCancellation()
        try session.instance.checkOpen()
        return await session.credentials.current.map { .signedIn($0.account) } ?? .signedOut
    }

    func signIn(_ credentials: Credentials) async throws -> Account {
        let credential = try await session.call(.signIn) { world in try world.signedIn(credentials) }
        let previous = await session.credentials.current
        try await session.credentials.set(credential)
        if previous?.account.id != credential.account.id { session.endStreamsOfUser() }
        return credential.account
    }

    func signOut() async throws {
        try Task.checkCancellation()
        try session.instance.checkOpen()
        let ended = await session.credentials.current
        try await session.credentials.set(nil)
        session.endStreamsOfUser()
        if let ended { await session.revoke(ended) }
    }
}
