/// Somebody with an account on the platform.
struct User: Sendable, Hashable {
    let id: String
    let displayName: String
    let currency: String

    /// The decimals of the account's currency.
    var decimals: Int { Amount.decimals(of: currency) ?? 2 }

    /// The sandbox's users. The password of each is ``password``.
    static let all = [
        User(id: "amara", displayName: "Amara", currency: "EUR"),
        User(id: "kenji", displayName: "Kenji", currency: "JPY"),
        User(id: "noor", displayName: "Noor", currency: "KWD"),
    ]

    static let password = "sandbox"

    static func named(_ id: String) -> User? { all.first { $0.id == id } }
}
