public import Cofferdam  // operations are the kit's values
public import SanctuaryDomain  // of the domain's ports

/// The operations of ``Accounts``. The session belongs to one side: every operation is exclusive.
public enum AccountsOperations {
    public static let state = PortOperation<any Accounts, Void, AccountState>("state", .exclusive) {
        try await $0.state()
    }
    .reading()
    .recorded(as: AccountStateRecord.self)

    public static let signIn = PortOperation<any Accounts, Credentials, Account>("signIn", .exclusive) {
        try await $0.signIn($1)
    }
    .recorded(as: AccountRecord.self) { ["user": $0.user, "password": $0.password] }

    public static let signOut = PortOperation<any Accounts, Void, Void>("signOut", .exclusive) {
        try await $0.signOut()
    }
    .recorded()
}

extension Intercepted: Accounts where Port == any Accounts {
    public func state() async throws -> AccountState {
        try await call(AccountsOperations.state) { try await $0.state() }
    }

    public func signIn(_ credentials: Credentials) async throws -> Account {
        try await call(AccountsOperations.signIn, credentials) { try await $0.signIn($1) }
    }

    public func signOut() async throws { try await call(AccountsOperations.signOut) { try await $0.signOut() } }
}
