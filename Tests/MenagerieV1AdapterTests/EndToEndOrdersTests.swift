#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV1
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test("AUTH-10, D16: without a session nothing is asked, and a session outlives a restart")
    func session() async throws {
        try await OpenSanctuary.with { sanctuary in
            let (accounts, orders) = (sanctuary.services.accounts, sanctuary.services.orders)
            #expect(try await accounts.state() == .signedOut)
            let refused = await SanctuaryError.of { try await orders.orders(PageRequest()) }
            #expect(refused?.code == .authenticationRequired)
            #expect(sanctuary.control.calls(of: .listOrders) == 0)
            let wrong = Credentials(user: "amara", password: "guess")
            let error = await SanctuaryError.of { try await accounts.signIn(wrong) }
            #expect(error?.code == .authenticationRequired)
            #expect(error.map { !"\($0)".contains("guess") } == true)
            try await sanctuary.signIn()
            let state = try await accounts.state()
            let account = try #require(state.account)
            #expect(account.id == "amara")
            #expect(account.currency == .eur)
            let stored = try FileManager.default.attributesOfItem(atPath: sanctuary.directory + "/menagerie.session")
            #expect((stored[.posixPermissions] as? NSNumber)?.intValue == 0o600)

            await sanctuary.services.close()
            let again = try await openMenagerieV1(
                MenagerieV1Configuration(
                    serviceURL: sanctuary.service.url,
                    key: "test",
                    directory: sanctuary.directory,
                    issues: sanctuary.issues.sink
                )
            )
            #expect(try await again.accounts.state() == state)
            #expect(try await again.orders.orders(PageRequest()).items.isEmpty == false)
            sanctuary.control.revokeSessions()
            let revoked = await SanctuaryError.of { try await again.orders.orders(PageRequest()) }
            #expect(revoked?.code == .authenticationRequired)
            try await again.accounts.signOut()
            try await again.accounts.signOut()
            #expect(try await again.accounts.state() == .signedOut)
            await again.close()
        }
    }

    @Test("D25: an unreadable session is reported, and replaced by signing in")
    func spoiltSession() async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            await sanctuary.services.close()
            try Data("rubbish".utf8).write(to: URL(fileURLWithPath: sanctuary.directory + "/menagerie.session"))
            let again = try await openMenagerieV1(
                MenagerieV1Configuration(
                    serviceURL: sanctuary.service.url,
                    key: "test",
                    directory: sanctuary.directory,
                    issues: sanctuary.issues.sink
                )
            )
            let error = await SanctuaryError.of { try await again.accounts.state() }
            #expect(error?.subject == sanctuary.directory)
            _ = try await again.accounts.signIn(Credentials(user: "noor", password: "sandbox"))
            #expect(try await again.accounts.state() != .signedOut)
            await again.close()
        }
    }

    @Test(
        "MUT-01, D17: an order is found as it was placed",
        arguments: [
            ("amara", Currency.eur, 1), ("kenji", .jpy, 500), ("noor", .kwd, 1234), ("amara", .eur, -250),
        ]
    )
    func order(user: String, currency: Currency, minorUnits: Int64) async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn(user)
            let orders = sanctuary.services.orders
            let price = Money(minorUnits: minorUnits, currency: currency)
            let draft = OrderDraft(lines: [OrderLine(article: "hay", quantity: 3, unitPrice: price)], key: "k")
            let placed = try await orders.place(draft)
            #expect(placed.lines == draft.lines)
            #expect(try await orders.order(placed.id) == placed)
            let all = try await orders.orders(PageRequest(limit: 1000))
            #expect(all.items.last == placed)
            #expect(all.next == nil)
        }
    }

    @Test(
        "D17, MUT-04: what cannot be ordered is refused before anything is sent",
        arguments: [
            ([], SanctuaryError.Code.invalidRequest, "lines"),
            ([(0, Currency.eur)], .invalidRequest, "lines[0].quantity"),
            ([(1, .eur), (1, .jpy)], .unsupported, "lines[1].unitPrice"),
        ] as [([(Int, Currency)], SanctuaryError.Code, String)]
    )
    func refusedOrder(lines: [(Int, Currency)], code: SanctuaryError.Code, subject: String) async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let lines = lines.map { quantity, currency in
                OrderLine(article: "hay", quantity: quantity, unitPrice: Money(minorUnits: 1, currency: currency))
            }
            let error = await SanctuaryError.of {
                try await sanctuary.services.orders.place(OrderDraft(lines: lines, key: "k"))
            }
            #expect(error?.code == code)
            #expect(error?.subject == subject)
            #expect(sanctuary.control.calls(of: .placeOrder) == 0)
        }
    }

    @Test("D18, MUT-06, MUT-07, ERR-06: an order whose answer is lost is there once, and its outcome unknown")
    func lostAnswer() async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let before = sanctuary.control.orderCount(of: "amara")
            sanctuary.control.inject(.commitThenCut, on: .placeOrder)
            let line = OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 1, currency: .eur))
            let error = await SanctuaryError.of {
                try await sanctuary.services.orders.place(OrderDraft(lines: [line], key: "k"))
            }
            #expect(error?.code == .outcomeUnknown)
            let token = try #require(Menagerie.shared.session?.token)
            #expect(error.map { "\($0)".contains(token) } == false)
            #expect(sanctuary.control.calls(of: .placeOrder) == 1)
            #expect(sanctuary.control.orderCount(of: "amara") == before + 1)
        }
    }

    @Test(
        "GET-02: an order's id is one part of a path, whatever stands in it",
        arguments: [
            "o-4711", "", ".", "..", "../animals", "o-1?x=y", "o-1/../o-2", "ö 1", "%2e%2e",
        ]
    )
    func strangeOrder(id: String) async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let error = await SanctuaryError.of { try await sanctuary.services.orders.order(OrderID(id)) }
            #expect(error?.code == .notFound)
        }
    }
}

extension EndToEndTests {
    @Test func `D18: an order whose answer is lost is found by repeating it, where a naive repeat makes two`()
        async throws
    {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let before = sanctuary.control.orderCount(of: "amara")
            let line = OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 1, currency: .eur))
            let draft = OrderDraft(lines: [line], key: "k")
            sanctuary.control.inject(.commitThenCut, on: .placeOrder)
            let lost = await SanctuaryError.of { try await sanctuary.services.orders.place(draft) }
            #expect(lost?.code == .outcomeUnknown)
            let order = try await sanctuary.services.orders.place(draft)
            #expect(order.lines == draft.lines)
            #expect(sanctuary.control.orderCount(of: "amara") == before + 1)
            let token = try #require(Menagerie.shared.session?.token)
            sanctuary.control.inject(.commitThenCut, on: .placeOrder)
            await NaiveRepeat(token: token).place(MenagerieOrderLine(line))
            #expect(sanctuary.control.orderCount(of: "amara") == before + 3)
        }
    }
}

/// Places an order again when it fails.
private struct NaiveRepeat {
    let token: String

    func place(_ line: MenagerieOrderLine) async {
        if await !once(line) { _ = await once(line) }
    }

    private func once(_ line: MenagerieOrderLine) async -> Bool {
        let line = MenagerieOrderLine(article: line.article, quantity: line.quantity, unitPrice: line.unitPrice)
        return await withCheckedContinuation { continuation in
            Menagerie.shared.placeOrder([line], token: token) { @Sendable order, _ in
                continuation.resume(returning: order != nil)
            }
        }
    }
}
#endif
