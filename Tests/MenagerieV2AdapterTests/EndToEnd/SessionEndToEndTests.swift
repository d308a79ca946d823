#if Sandbox
import Foundation
import MenagerieService
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

@Suite struct SessionEndToEndTests {
    private let draft = OrderDraft(
        lines: [OrderLine(article: "hay", quantity: 2, unitPrice: Money(minorUnits: 1, currency: .eur))],
        key: "attempt-1"
    )

    @Test("AUTH-10: signed out, nothing that needs a session is asked")
    func signedOut() async throws {
        try await OpenedSanctuary.with { sanctuary in
            let state = try await sanctuary.accounts.state()
            #expect(state == .signedOut)
            await expect(.authenticationRequired) { try await sanctuary.orders.orders(PageRequest()) }
            await expect(.authenticationRequired) { try await sanctuary.orders.place(draft) }
            await expect(.authenticationRequired) { try await sanctuary.messages.messages(PageRequest()) }
            let events = Subscriber(sanctuary.messages.events())
            await expect(.authenticationRequired) { try await events.next() }
            #expect(sanctuary.control.calls(of: .listOrders) == 0)
        }
    }

    @Test("GET-02: an id that would change the address reaches no vendor", arguments: ["", ".", ".."])
    func strangeOrder(id: String) async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            await expect(.notFound) { try await sanctuary.orders.order(OrderID(id)) }
            #expect(sanctuary.control.calls(of: .getOrder) == 0)
        }
    }

    @Test("A wrong password is authenticationRequired, is not in the error, and leaves the session as it was")
    func wrongPassword() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let wrong = Credentials(user: "kenji", password: "hunter2")
            let error = await #expect(throws: SanctuaryError.self) { try await sanctuary.accounts.signIn(wrong) }
            #expect(error?.code == .authenticationRequired)
            #expect(error.map { "\($0)".contains("hunter2") } == false)
            let amara = Account(id: "amara", displayName: "Amara", currency: .eur)
            let state = try await sanctuary.accounts.state()
            #expect(state == .signedIn(amara))
        }
    }

    @Test("The session is there after a restart, and gone after signing out; reachable or not")
    func restart() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let again = try await sanctuary.openAnother(in: sanctuary.directory)
            #expect(try await again.orders.orders(PageRequest()).items.isEmpty == false)
            await sanctuary.stopService()
            try await again.accounts.signOut()
            try await again.accounts.signOut()
            #expect(try await again.accounts.state() == .signedOut)
            let later = try await sanctuary.openAnother(in: sanctuary.directory)
            #expect(try await later.accounts.state() == .signedOut)
            await again.close()
            await later.close()
        }
    }

    @Test("D26: signing out revokes at the vendor once")
    func signOut() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            try await sanctuary.accounts.signOut()
            try await sanctuary.accounts.signOut()
            #expect(sanctuary.control.calls(of: .revoke) == 1)
            #expect(sanctuary.issues.all.isEmpty)
        }
    }

    @Test("An unreadable stored session is reported, and replaced by signing in")
    func unreadable() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let files = try FileManager.default.contentsOfDirectory(atPath: sanctuary.directory)
            let file = try #require(files.first { $0.contains("session") })
            try Data("{}".utf8).write(to: URL(fileURLWithPath: sanctuary.directory + "/" + file))
            let again = try await sanctuary.openAnother(in: sanctuary.directory)
            let error = await #expect(throws: SanctuaryError.self) { try await again.accounts.state() }
            #expect(error?.subject?.hasSuffix(file) == true)
            _ = try await again.accounts.signIn(Credentials(user: "noor", password: "sandbox"))
            #expect(try await again.accounts.state() != .signedOut)
            await again.close()
        }
    }

    @Test("D16, AUTH-01, AUTH-02: an expired token is refreshed once for 100 calls, without the callers noticing")
    func expired() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.expireAccessTokens()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await sanctuary.orders.orders(PageRequest()).items.count }
                }
                for try await count in group { #expect(count == 3) }
            }
            #expect(sanctuary.control.calls(of: .refresh) == 1)
            let again = try await sanctuary.openAnother(in: sanctuary.directory)
            #expect(try await again.orders.orders(PageRequest()).items.count == 3)
            #expect(sanctuary.control.calls(of: .refresh) == 1)
            await again.close()
        }
    }

    @Test("D16: a session that the vendor has revoked ends as authenticationRequired, without a loop")
    func revoked() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.expireAccessTokens()
            sanctuary.control.inject(.status(401), on: .refresh)
            await expect(.authenticationRequired) { try await sanctuary.orders.orders(PageRequest()) }
            #expect(sanctuary.control.calls(of: .refresh) == 1)
            let state = try await sanctuary.accounts.state()
            #expect(state == .signedOut)
        }
    }

    @Test("D16: a proxy's 401 in place of new tokens does not end the session")
    func refusedByProxy() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.expireAccessTokens()
            sanctuary.control.inject(.gateway(401), on: .refresh)
            await expect(.authenticationRequired) { try await sanctuary.orders.orders(PageRequest()) }
            let state = try await sanctuary.accounts.state()
            #expect(state != .signedOut)
            _ = try await sanctuary.orders.orders(PageRequest())
        }
    }

    @Test("D20, AUTH-08: forbidden is never refreshed")
    func forbidden() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.inject(.status(403), on: .listOrders)
            await expect(.forbidden) { try await sanctuary.orders.orders(PageRequest()) }
            #expect(sanctuary.control.calls(of: .refresh) == 0)
        }
    }

    @Test("MUT-01, D17: an order is recorded exactly, and found at once", arguments: ["amara", "kenji", "noor"])
    func order(user: String) async throws {
        try await OpenedSanctuary.with { sanctuary in
            let account = try await sanctuary.signIn(user)
            let lines = [1234, 1, -50].map {
                OrderLine(article: "x", quantity: 2, unitPrice: Money(minorUnits: $0, currency: account.currency))
            }
            let placed = try await sanctuary.orders.place(OrderDraft(lines: lines, key: "k"))
            #expect(placed.lines == lines)
            #expect(placed.status == .pending)
            #expect(try await sanctuary.orders.order(placed.id) == placed)
            #expect(sanctuary.control.lastRequest(of: .placeOrder)?.header("Idempotency-Key") == "k")
            await expect(.notFound) { try await sanctuary.orders.order(OrderID("none")) }
        }
    }

    @Test("D17: an order in three currencies arrives and reads back exactly", arguments: ["amara", "kenji", "noor"])
    func currencies(user: String) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await sanctuary.signIn(user)
            let prices = [
                Money(minorUnits: 1, currency: .eur), Money(minorUnits: 500, currency: .jpy),
                Money(minorUnits: 1234, currency: .kwd), Money(minorUnits: -999, currency: .kwd),
            ]
            let lines = prices.map { OrderLine(article: "hay", quantity: 3, unitPrice: $0) }
            let placed = try await sanctuary.orders.place(OrderDraft(lines: lines, key: "k"))
            #expect(placed.lines == lines)
            #expect(try await sanctuary.orders.order(placed.id) == placed)
            #expect(try await sanctuary.orders.orders(PageRequest()).items.last == placed)
            let sent = try #require(sanctuary.control.lastRequest(of: .placeOrder)).text
            for amount in ["0.01", "500", "1.234", "-0.999"] { #expect(sent.contains("\"\(amount)\""), "\(sent)") }
            #expect(sanctuary.issues.all.isEmpty)
        }
    }

    @Test("D18: committed, then cut: exactly one order, and again with the same key")
    func cut() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.inject(.commitThenCut, on: .placeOrder)
            let order = try await sanctuary.orders.place(draft)
            #expect(try await sanctuary.orders.place(draft) == order)
            #expect(sanctuary.control.orderCount(of: "amara") == 4)
        }
    }

    @Test("D18: lost each time after it was sent, the outcome is unknown")
    func lost() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.inject(.commitThenCut, on: .placeOrder, times: 100)
            await expect(.outcomeUnknown) { try await sanctuary.orders.place(draft) }
            #expect(sanctuary.control.orderCount(of: "amara") == 4)
            sanctuary.control.inject(.commitThenCut, on: .sendMessage)
            let message = MessageDraft(text: "fed", key: "m")
            await expect(.outcomeUnknown) { try await sanctuary.messages.send(message) }
            #expect(sanctuary.control.calls(of: .sendMessage) == 1)
        }
    }

    @Test("D18: an order that could not be sent at all is unreachable")
    func unsent() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            await sanctuary.stopService()
            await expect(.unreachable) { try await sanctuary.orders.place(draft) }
        }
    }

    @Test("D16 with D18: an expired token in the middle of an order gives one order")
    func expiredOrder() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.expireAccessTokens()
            _ = try await sanctuary.orders.place(draft)
            #expect(sanctuary.control.orderCount(of: "amara") == 4)
            #expect(sanctuary.control.calls(of: .refresh) == 1)
        }
    }

    @Test("An order that makes no sense names its field, and is not sent when it can be seen from here")
    func senseless() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let eur = Money(minorUnits: 1, currency: .eur)
            let cases: [([OrderLine], String)] = [
                ([], "lines"), ([.init(article: "x", quantity: 0, unitPrice: eur)], "lines[0].quantity"),
                ([.init(article: "", quantity: 1, unitPrice: eur)], "lines[0].article"),
            ]
            for (lines, field) in cases {
                let error = await #expect(throws: SanctuaryError.self) {
                    try await sanctuary.orders.place(OrderDraft(lines: lines, key: "k"))
                }
                #expect(error?.code == .invalidRequest)
                #expect(error?.subject == field)
            }
            #expect(sanctuary.control.calls(of: .placeOrder) == 1)
        }
    }
}
#endif
