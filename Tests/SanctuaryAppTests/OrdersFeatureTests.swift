import SanctuaryApp
import SanctuaryDomain
import Testing

@Suite struct OrdersFeatureTests {
    private static let account = Account(id: "amara", displayName: "Amara", currency: .eur)

    @Test(arguments: [
        ("4.50", Money(minorUnits: 450, currency: .eur)),
        ("  4.5 ", Money(minorUnits: 450, currency: .eur)),
        ("-3.50", Money(minorUnits: -350, currency: .eur)),
        ("500 JPY", Money(minorUnits: 500, currency: .jpy)),
        ("jpy 500", Money(minorUnits: 500, currency: .jpy)),
        ("1.234 KWD", Money(minorUnits: 1234, currency: .kwd)),
    ])
    func `a price is an amount, with a currency on either side or the account's (D17)`(text: String, money: Money)
        throws
    {
        #expect(try OrderInput.money(text, accountCurrency: .eur) == money)
    }

    @Test(arguments: [
        ("", "is not an amount"), ("   ", "is not an amount"), ("four", "is not an amount"),
        ("4,50", "is not an amount"), ("1e3", "is not an amount"), ("4.50 EURO", "is not an amount"),
        ("EUR", "is not an amount"), ("EUR USD", "is not an amount"), ("4 5", "is not an amount"),
        ("4 EUR now", "is not an amount"), ("4.50EUR", "is not an amount"),
        ("99999999999999999999", "is not an amount"), ("1.2.3", "is not an amount"),
        ("4.505", "EUR has 2 decimals"), ("0.5 JPY", "JPY has 0 decimals"), ("-1.2345 KWD", "KWD has 3 decimals"),
    ])
    func `an unreadable price is an error that says why (D17)`(text: String, message: String) {
        let error = #expect(throws: FeatureError.self) { try OrderInput.money(text, accountCurrency: .eur) }
        #expect(error?.code == .invalidInput)
        #expect(error?.subject == "price")
        #expect(error?.message.contains(message) == true)
        #expect(error?.message.contains("\"\(text)\"") == true)
    }

    @Test(arguments: [
        (OrderInput(article: " ", quantity: 1, price: "1"), "article"),
        (OrderInput(article: "hay", quantity: 0, price: "1"), "quantity"),
        (OrderInput(article: "hay", quantity: -1, price: "1"), "quantity"),
        (OrderInput(article: "hay", quantity: 1, price: "x"), "price"),
    ])
    func `wrong input names its field, and nothing is sent`(input: OrderInput, field: String) async {
        let features = Ports(account: { .signedIn(Self.account) }).features()
        let error = await #expect(throws: FeatureError.self) { try await features.orders.place([input]) }
        #expect(error?.subject == field)
    }

    @Test func `an order without lines is refused without a request`() async {
        let error = await #expect(throws: FeatureError.self) { try await Ports().features().orders.place([]) }
        #expect(error?.subject == "lines")
    }

    @Test(arguments: [AccountState.signedOut, .unknown])
    func `without a signed-in user nothing is asked or sent (AUTH-10)`(state: AccountState) async {
        let orders = Ports(account: { state }).features().orders
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await orders.orders() }, { _ = try await orders.order(OrderID("1")) },
            { _ = try await orders.place([OrderInput(article: "hay", quantity: 1, price: "1")]) },
        ]
        for call in calls {
            let error = await #expect(throws: SanctuaryError.self) { try await call() }
            #expect(error?.code == .authenticationRequired)
        }
    }

    @Test func `the signed-in user is read each time`() async throws {
        let asked = Counter()
        let features = Ports(
            orders: pages([]),
            account: {
                asked.add()
                return asked.count == 2 ? .signedOut : .signedIn(Self.account)
            }
        ).features()
        #expect(try await features.orders.orders().isEmpty)
        await #expect(throws: SanctuaryError.self) { try await features.orders.orders() }
        #expect(try await features.orders.orders().isEmpty)
    }

    @Test func `a session that cannot be read is that error, and no sign-out`() async {
        let features = Ports(account: { throw SanctuaryError(.unavailable, "locked") }).features()
        let error = await #expect(throws: SanctuaryError.self) { try await features.orders.orders() }
        #expect(error?.code == .unavailable)
    }

    @Test func `an order is sent exactly as written, with a new key for each attempt`() async throws {
        let keys = Counter()
        let features = Ports(
            place: { draft in
                Order(
                    id: OrderID(draft.key),
                    status: .pending,
                    lines: draft.lines,
                    placedAt: Instant(millisecondsSince1970: 0)
                )
            },
            account: { .signedIn(Self.account) }
        ).features(makeKey: {
            keys.add()
            return "key \(keys.count)"
        })
        let inputs = [
            OrderInput(article: "hay", quantity: 2, price: "4.50"),
            OrderInput(article: "fish", quantity: 1, price: "500 JPY"),
        ]
        let order = try await features.orders.place(inputs)
        #expect(
            order.order.lines == [
                OrderLine(article: "hay", quantity: 2, unitPrice: Money(minorUnits: 450, currency: .eur)),
                OrderLine(article: "fish", quantity: 1, unitPrice: Money(minorUnits: 500, currency: .jpy)),
            ]
        )
        #expect(order.id == OrderID("key 1"))
        #expect(try await features.orders.place(inputs).id == OrderID("key 2"))
    }

    @Test func `all orders are walked`() async throws {
        let orders = (1...5).map {
            Order(id: OrderID("\($0)"), status: .captured, lines: [], placedAt: Instant(millisecondsSince1970: 0))
        }
        let features = Ports(orders: pages(orders), account: { .signedIn(Self.account) }).features()
        #expect(try await features.orders.orders().map(\.order) == orders)
    }
}
