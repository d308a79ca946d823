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
                        _ in Self.record(of: order, user)
                    }
                }
            ),
            Route(
                "GET",
                "orders/{}",
                .getOrder,
                signedIn { _, id, user in
                    let order = try sandbox.world.read { world throws(Refusal) in try world.orders.order(id, for: user)
                    }
                    return .json(Self.record(of: order, user))
                }
            ),
            Route(
                "POST",
                "orders",
                .placeOrder,
                signedIn { call, _, user in
                    let lines = try call.object().objects("lines").map { line throws(Refusal) in
                        Order.Line(
                            article: try line.string("article"),
                            quantity: try line.integer("quantity"),
                            unitPrice: try Self.amount(try line.object("unitPrice"), user)
                        )
                    }
                    try OrderStore.validate(lines, price: "unitPrice")
                    guard let key = call.header("Idempotency-Key"), !key.isEmpty else {
                        let order = sandbox.world.update { $0.orders.place(lines, for: user, at: $0.now) }
                        return .json(Self.record(of: order, user), status: 201)
                    }
                    let (order, isNew) = try sandbox.world.update { world throws(Refusal) in
                        try world.orders.place(lines, for: user, key: key, at: world.now)
                    }
                    return .json(Self.record(of: order, user), status: isNew ? 201 : 200)
                }
            ),
        ]
    }

    /// MONEY, which must be in the account's currency.
    private static func amount(_ money: Fields, _ user: User) throws(Refusal) -> Int64 {
        guard try money.string("currency") == user.currency else {
            throw Refusal(.validation, "the account is in \(user.currency)", field: "\(money.path).currency")
        }
        guard let amount = Amount.minorUnits(try money.string("amount"), decimals: user.decimals) else {
            throw Refusal(.validation, "expected an amount of \(user.currency)", field: "\(money.path).amount")
        }
        return amount
    }

    /// ORDER: `paid` from the moment the money is captured.
    private static func record(of order: Order, _ user: User) -> JSON {
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
                            "amount": .string(Amount.text(line.unitPrice, decimals: user.decimals)),
                            "currency": .string(user.currency),
                        ],
                    ]
                }
            ),
            "placedAt": .string(order.placedAt.rfc3339()),
        ]
    }
}
