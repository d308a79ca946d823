#if Sandbox
/// A user of the platform.
struct User: Sendable, Hashable, Codable {
    let id: String
    let displayName: String
    let currency: Currency
    /// What the APIs tell instead of the currency's code.
    var toldCurrency: String?

    var currencyCode: String { toldCurrency ?? currency.rawValue }

    /// The sandbox's users. The password of each is ``password``.
    static let all = [
        User(id: "amara", displayName: "Amara", currency: .eur),
        User(id: "kenji", displayName: "Kenji", currency: .jpy),
        User(id: "noor", displayName: "Noor", currency: .kwd),
    ]

    static let password = "sandbox"

    static func named(_ id: String) -> User? { all.first { $0.id == id } }
}
#endif
