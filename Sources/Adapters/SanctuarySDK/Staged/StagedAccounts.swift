#if Staged
import SanctuaryDomain

struct StagedAccounts: Accounts {
    let sanctuary: StagedSanctuary

    func state() async throws -> AccountState { try await sanctuary.state() }

    func signIn(_ credentials: Credentials) async throws -> Account { try await sanctuary.signIn(credentials) }

    func signOut() async throws { try await sanctuary.signOut() }
}
#endif
