#if Sandbox
public import Foundation  // the API uses dates and NSError
import HTTPTypes

/// An order of the signed-in user.
public final class MenagerieOrder {
    public let id: String
    /// "pending", "paid" (authorised), "shipped" or "cancelled".
    public internal(set) var status: String
    public internal(set) var lines: [MenagerieOrderLine]
    public internal(set) var placedAt: Date

    init(_ json: OrderJSON) {
        id = json.id
        status = json.status
        lines = json.lines.map {
            MenagerieOrderLine(article: $0.article, quantity: $0.quantity, unitPrice: $0.unit_price)
        }
        placedAt = Date(timeIntervalSince1970: json.placed_at)
    }
}

/// A quantity of one article.
public final class MenagerieOrderLine {
    public let article: String
    public let quantity: Int
    /// The price of one, in minor units of the account's currency.
    public let unitPrice: Int64

    public init(article: String, quantity: Int, unitPrice: Int64) {
        self.article = article
        self.quantity = quantity
        self.unitPrice = unitPrice
    }
}

extension Menagerie {
    /// Fetches part of the user's orders, oldest first, with the total number.
    @discardableResult
    public func fetchOrders(
        token: String,
        offset: Int,
        limit: Int,
        completion: @escaping ([MenagerieOrder]?, Int, NSError?) -> Void
    ) -> MenagerieRequest {
        let query = pageQuery(offset, limit)
        return perform { transport throws(NSError) -> OrdersJSON in
            try await transport.json(.get, "/v1/orders", query: query, token: token)
        } completion: { page, error in
            completion(page?.orders.map(MenagerieOrder.init), page?.total ?? 0, error)
        }
    }

    /// Fetches one order.
    @discardableResult
    public func fetchOrder(
        _ id: String,
        token: String,
        completion: @escaping (MenagerieOrder?, NSError?) -> Void
    ) -> MenagerieRequest {
        perform { transport throws(NSError) -> OrderJSON in
            try await transport.json(.get, "/v1/orders/\(Transport.segment(id))", token: token)
        } completion: { json, error in
            completion(json.map(MenagerieOrder.init), error)
        }
    }

    /// Places an order, in the account's currency.
    @discardableResult
    public func placeOrder(
        _ lines: [MenagerieOrderLine],
        token: String,
        completion: @escaping (MenagerieOrder?, NSError?) -> Void
    ) -> MenagerieRequest {
        let lines = lines.map { LineJSON(article: $0.article, quantity: $0.quantity, unit_price: $0.unitPrice) }
        return perform { transport throws(NSError) -> OrderJSON in
            try await transport.json(.post, "/v1/orders", token: token, body: ["lines": lines])
        } completion: { json, error in
            completion(json.map(MenagerieOrder.init), error)
        }
    }
}

struct OrderJSON: Decodable {
    var id: String
    var status: String
    var lines: [LineJSON]
    var placed_at: Double
}

struct LineJSON: Codable {
    var article: String
    var quantity: Int
    var unit_price: Int64
}

private struct OrdersJSON: Decodable {
    var total: Int
    var orders: [OrderJSON]
}
#endif
