import MenagerieService
import SanctuaryDomain

/// One of the user's two phones, each with its own directory.
enum Phone: CaseIterable, Sendable {
    /// On V1, the one of this process.
    case old
    /// On V2.
    case new

    var other: Phone { self == .old ? .new : .old }
}

/// One user, signed in on both phones, with one service.
struct MixedFleet: Sendable {
    let old: SanctuaryServices
    let new: SanctuaryServices
    let sanctuary: OpenedSanctuary

    var control: SandboxControl { sanctuary.control }

    subscript(phone: Phone) -> SanctuaryServices { phone == .old ? old : new }

    static func with(_ user: String = "amara", _ body: (MixedFleet) async throws -> Void) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await sanctuary.signIn(user)
            try await withMenagerieV1(at: sanctuary.url, in: sanctuary.directory + "/old") { old in
                _ = try await old.accounts.signIn(Credentials(user: user, password: "sandbox"))
                try await body(MixedFleet(old: old, new: sanctuary.services, sanctuary: sanctuary))
            }
        }
    }
}

/// What is charged, in each of the vendor's currencies: by an account that is charged in it.
struct Charge: Sendable {
    let user: String
    let price: SanctuaryDomain.Money

    static let all = [
        Charge(user: "amara", price: Money(minorUnits: 1, currency: .eur)),
        Charge(user: "amara", price: Money(minorUnits: -250, currency: .eur)),
        Charge(user: "kenji", price: Money(minorUnits: 500, currency: .jpy)),
        Charge(user: "noor", price: Money(minorUnits: 1234, currency: .kwd)),
    ]

    var lines: [SanctuaryDomain.OrderLine] { [OrderLine(article: "hay", quantity: 2, unitPrice: price)] }
}
