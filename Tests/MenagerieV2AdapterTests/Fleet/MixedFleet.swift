#if Sandbox
import MenagerieService
import SanctuaryDomain

/// One of the user's two phones, each with its own directory.
enum Phone: CaseIterable, Sendable {
    /// The phone on V1, which is the only V1 in this process.
    case old
    /// The phone on V2.
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

/// A charge in one of the vendor's currencies, with a user whose account uses that currency.
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
#endif
