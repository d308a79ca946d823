#if Sandbox
import Cofferdam
import MenagerieService
import MenagerieV1
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

/// Tests what happens to an order whose first attempt has failed.
extension EndToEndTests {
    @Test(
        "D18: an order that failed is open only if it may be there, and repeated it is there once",
        arguments: [
            (.status(400), .invalidRequest, isOpen: false), (.status(401), .authenticationRequired, isOpen: false),
            (.status(403), .forbidden, isOpen: false), (.status(404), .notFound, isOpen: false),
            (.status(408), .timeout, isOpen: true), (.status(409), .conflict, isOpen: false),
            (.status(422), .invalidRequest, isOpen: false), (.status(429), .rateLimited, isOpen: false),
            (.status(500), .unavailable, isOpen: true), (.status(503), .unavailable, isOpen: true),
            (.gateway(502), .unavailable, isOpen: true), (.gateway(504), .timeout, isOpen: true),
            (.redirect(to: "http://127.0.0.1:1"), .outcomeUnknown, isOpen: true),
            (.status(999), .outcomeUnknown, isOpen: true), (.html, .outcomeUnknown, isOpen: true),
            (.altered(.wrongType("id")), .outcomeUnknown, isOpen: true),
            (.altered(.wrongType("placed_at")), .outcomeUnknown, isOpen: true),
            (.truncated, .outcomeUnknown, isOpen: true), (.reset, .outcomeUnknown, isOpen: true),
            (.commitThenCut, .outcomeUnknown, isOpen: true),
        ] as [(Fault, SanctuaryError.Code, isOpen: Bool)]
    )
    func failedOrder(fault: Fault, code: SanctuaryError.Code, isOpen: Bool) async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let before = sanctuary.control.orderCount(of: "amara")
            sanctuary.control.inject(fault, on: .placeOrder)
            let error = await SanctuaryError.of { try await sanctuary.services.orders.place(Self.draft) }
            #expect(error?.code == code)
            #expect(try sanctuary.openOrders() == (isOpen ? ["k"] : []))
            for _ in 1...2 {
                let order = try await sanctuary.services.orders.place(Self.draft)
                #expect(order.lines == Self.draft.lines)
                #expect(sanctuary.control.orderCount(of: "amara") == before + 1)
                #expect(try sanctuary.openOrders() == [])
            }
        }
    }

    @Test func `D18, CANC-08: an order that closing overtakes is open, and its outcome unknown`() async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            sanctuary.control.inject(.stall(afterBytes: 0), on: .placeOrder)
            let orders = sanctuary.services.orders
            let placing = Task { await SanctuaryError.of { try await orders.place(Self.draft) } }
            await sanctuary.control.waitForHeld(exactly: 1)
            await sanctuary.services.close()
            #expect(await placing.value?.code == .outcomeUnknown)
            #expect(try sanctuary.openOrders() == ["k"])
        }
    }

    @Test func `D18: a refused repeat says nothing about the first attempt, whose order may come late`()
        async throws
    {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let (orders, control) = (sanctuary.services.orders, sanctuary.control)
            let before = control.orderCount(of: "amara")
            control.inject(.reset, on: .placeOrder)
            control.inject(.status(429), on: .placeOrder)
            for code in [SanctuaryError.Code.outcomeUnknown, .rateLimited] {
                #expect(await SanctuaryError.of { try await orders.place(Self.draft) }?.code == code)
                #expect(try sanctuary.openOrders() == ["k"])
            }
            let late = try await orders.place(OrderDraft(lines: Self.draft.lines, key: "late"))
            // As in the first attempt, without a key.
            let journal = OrderJournal(directory: sanctuary.directory)
            try journal.forget(#require(try journal.entry("late", of: "amara")))
            #expect(try await orders.place(Self.draft) == late)
            #expect(control.orderCount(of: "amara") == before + 1)
        }
    }

    private static let draft = OrderDraft(
        lines: [OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 1, currency: .eur))],
        key: "k"
    )
}

extension OpenSanctuary {
    /// The keys of the orders with an unknown outcome.
    fileprivate func openOrders() throws -> [String] {
        try OrderJournal(directory: directory).open().map(\.key)
    }
}
#endif
