import CofferdamUpgrade
import SanctuaryDomain

/// The session is one side's: every call is exclusive.
struct RoutedAccounts: Accounts {
    let route: Route<any Accounts>

    func state() async throws -> AccountState {
        try await route.exclusive("state", ()) { port, _ in try await port.state() }
    }

    func signIn(_ credentials: Credentials) async throws -> Account {
        try await route.exclusive("signIn", credentials) { try await $0.signIn($1) }
    }

    func signOut() async throws {
        try await route.exclusive("signOut", ()) { port, _ in try await port.signOut() }
    }
}
