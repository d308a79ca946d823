#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Orders. The draft's key is the vendor's idempotency key, so that the vendor's own retries never place an order
/// twice.
struct V2Orders: Orders {
    let connection: Connection

    func orders(_ request: PageRequest) async throws -> SanctuaryDomain.Page<SanctuaryDomain.Order> {
        try await connection.perform { [connection] in
            let asked = try VendorCursor.asked(request)
            let page = try await connection.askSignedIn { client, token in
                try await client.orders(cursor: asked?.vendor, limit: request.limit, accessToken: token)
            }
            let next = try VendorCursor.next(after: page, asked: asked)
            let orders = try await connection.read(page.items, as: .orders, of: "orders")
            return SanctuaryDomain.Page(items: orders, next: next)
        }
    }

    func order(_ id: OrderID) async throws -> SanctuaryDomain.Order {
        try await connection.perform(subject: id.rawValue) { [connection] in
            let order = try await connection.askSignedIn { client, token in
                try id.check()
                return try await client.order(id: id.rawValue, accessToken: token)
            }
            return try await connection.read(order, as: .orders, of: "order")
        }
    }

    func place(_ draft: OrderDraft) async throws -> SanctuaryDomain.Order {
        try draft.validate()
        let lines = draft.lines.map(MenagerieV2.OrderLine.init)
        return try await connection.performOnce { [connection] mark in
            let order = try await connection.askSignedIn { client, token in
                try await mark.sending {
                    try await client.placeOrder(lines: lines, idempotencyKey: draft.key, accessToken: token)
                }
            }
            return try await connection.read(order, as: .orders, of: "place")
        }
    }
}
#endif
