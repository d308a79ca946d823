#if Sandbox
extension V1API {
    var orders: [Route] {
        [
            Route(
                "GET",
                "orders",
                .listOrders,
                signedIn { call, _, user in
                    try sandbox.world.read { world throws(Refusal) in
                        let orders = world.orders.orders(of: user).filter { $0.isWholly(in: user.currency) }
                        let page = try Self.page(of: orders, for: call)
                        return .json([
                            "total": .integer(orders.count),
                            "orders": .array(page.map { world.shown(Self.record(of: $0), of: .order($0.id)) }),
                        ])
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
                        guard order.isWholly(in: user.currency) else {
                            throw Refusal(.notFound, "no order has that id")
                        }
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
                        Order.Line(
                            article: try line.string("article"),
                            quantity: try line.integer("quantity"),
                            unitPrice: try line.integer("unit_price"),
                            currency: user.currency
                        )
                    }
                    try OrderStore.validate(lines, price: "unit_price")
                    let order = sandbox.world.update { $0.orders.place(lines, for: user, at: $0.now) }
                    return .json(Self.record(of: order), status: 201)
                }
            ),
        ]
    }

    /// Returns an ORDER, which is `paid` once the payment is authorised.
    private static func record(of order: Order) -> JSON {
        let status =
            switch order.status {
            case .pending: "pending"
            case .authorized, .captured, .partiallyRefunded: "paid"
            case .shipped: "shipped"
            case .cancelled: "cancelled"
            }
        return [
            "id": .string(order.id),
            "status": .string(status),
            "lines": .array(
                order.lines.map { line in
                    [
                        "article": .string(line.article),
                        "quantity": .integer(line.quantity),
                        "unit_price": .integer(line.unitPrice),
                    ]
                }
            ),
            "placed_at": .integer(order.placedAt.milliseconds / 1000),
        ]
    }
}

extension OrderStore {
    /// Returns a user's order; another user's is forbidden.
    func order(_ id: String, for user: User) throws(Refusal) -> Order {
        guard let order = order(id) else { throw Refusal(.notFound, "no order has that id") }
        guard order.userID == user.id else { throw Refusal(.forbidden, "the order is another account's") }
        return order
    }
}
#endif
