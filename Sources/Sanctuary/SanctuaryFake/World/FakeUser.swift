import SanctuaryDomain

/// A user who may sign in.
struct FakeUser: Sendable, Hashable {
    let account: Account
    /// Whether the vendor tells a currency that is one.
    var hasCurrency = true

    static let password = "sandbox"

    static let all: [String: FakeUser] = Dictionary(
        uniqueKeysWithValues: [
            Account(id: "amara", displayName: "Amara", currency: .eur),
            Account(id: "kenji", displayName: "Kenji", currency: .jpy),
            Account(id: "noor", displayName: "Noor", currency: .kwd),
        ].map { ($0.id, FakeUser(account: $0)) }
    )
}

/// A session's tokens. Their description omits them.
struct FakeCredential: Sendable, CustomStringConvertible, CustomReflectable {
    let account: Account
    let access: String
    let refresh: String

    var description: String { "session of \(account.id)" }
    var customMirror: Mirror { Mirror(self, children: ["account": account]) }
}
