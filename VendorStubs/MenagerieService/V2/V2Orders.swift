#if Sandbox
extension V2API {
    var orders: [Route] {
        [
            Route(
                "GET",
                "orders",
                .listOrders,
                signedIn { call, _, user in
                    try page("orders/\(user.id)", quirk: .listOrders, for: call, of: { $0.orders.orders(of: user) }) {
                        order,
                        world in world.shown(Self.record(of: order), of: .order(order.id))
                    }
                }
            ),
            Route(
                "GET",
                "orders/{}",
                .getOrder,
                signedIn { _, id, user in
                    try sandbox.world.read { world throws(Refusal) in
                        let order = try world.orders.order(id, for: user)
                        return .json(world.shown(Self.record(of: order), of: .order(id)))
                    }
                }
            ),
            Route(
                "POST",
                "orders",
                .placeOrder,
                signedIn { call, _, user in
                    let lines = try call.object().objects("lines").map { line throws(Refusal) in
                        let (article, quantity) = (try line.string("article"), try line.integer("quantity"))
                        let (unitPrice, currency) = try Self.money(try line.object("unitPrice"))
                        return Order.Line(
                            article: article,
                            quantity: quantity,
                            unitPrice: unitPrice,
                            currency: currency
                        )
                    }
                    try OrderStore.validate(lines, price: "unitPrice")
                    guard let key = call.header("Idempotency-Key"), !key.isEmpty else {
                        let order = sandbox.world.update { $0.orders.place(lines, for: user, at: $0.now) }
                        return .json(Self.record(of: order), status: 201)
                    }
                    let (order, isNew) = try sandbox.world.update { world throws(Refusal) in
                        try world.orders.place(lines, for: user, key: key, at: world.now)
                    }
                    return .json(Self.record(of: order), status: isNew ? 201 : 200)
                }
            ),
        ]
    }

    /// Parses MONEY, in any currency.
    private static func money(_ money: Fields) throws(Refusal) -> (minorUnits: Int64, currency: Currency) {
        guard let currency = Currency(rawValue: try money.string("currency")) else {
            let known = Currency.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(.validation, "expected one of \(known)", field: "\(money.path).currency")
        }
        guard let minorUnits = Amount.minorUnits(try money.string("amount"), currency) else {
            throw Refusal(.validation, "expected an amount of \(currency.rawValue)", field: "\(money.path).amount")
        }
        return (minorUnits, currency)
    }

    /// Returns an ORDER, which is `paid` once the payment is captured.
    private static func record(of order: Order) -> JSON {
        let status =
            switch order.status {
            case .pending: "pending"
            case .authorized: "authorized"
            case .captured: "paid"
            case .shipped: "shipped"
            case .cancelled: "cancelled"
            case .partiallyRefunded: "partiallyRefunded"
            }
        return [
            "id": .string(order.id),
            "status": .string(status),
            "lines": .array(
                order.lines.map { line in
                    [
                        "article": .string(line.article),
                        "quantity": .integer(line.quantity),
                        "unitPrice": [
                            "amount": .string(Amount.text(line.unitPrice, line.currency)),
                            "currency": .string(line.currency.rawValue),
                        ],
                    ]
                }
            ),
            "placedAt": .string(order.placedAt.rfc3339()),
        ]
    }
}
#endif
