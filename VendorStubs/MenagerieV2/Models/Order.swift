#if Sandbox
/// An amount of one currency, as decimal text: "4.50".
public struct Money: Sendable, Hashable, Codable {
    public var amount: String
    /// ISO 4217.
    public var currency: String

    public init(amount: String, currency: String) {
        self.amount = amount
        self.currency = currency
    }
}

public struct OrderLine: Sendable, Hashable, Codable {
    public var article: String
    public var quantity: Int
    public var unitPrice: Money

    public init(article: String, quantity: Int, unitPrice: Money) {
        self.article = article
        self.quantity = quantity
        self.unitPrice = unitPrice
    }
}

public struct Order: Sendable, Hashable, Identifiable, Codable {
    public var id: String
    public var status: OrderStatus
    public var lines: [OrderLine]
    /// RFC 3339.
    public var placedAt: String

    public init(id: String, status: OrderStatus, lines: [OrderLine], placedAt: String) {
        self.id = id
        self.status = status
        self.lines = lines
        self.placedAt = placedAt
    }
}

/// The status of an order. The set is open.
public struct OrderStatus: RawRepresentable, Sendable, Hashable, Codable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let pending = OrderStatus(rawValue: "pending")
    public static let authorized = OrderStatus(rawValue: "authorized")
    /// The money has been captured.
    public static let paid = OrderStatus(rawValue: "paid")
    public static let shipped = OrderStatus(rawValue: "shipped")
    public static let cancelled = OrderStatus(rawValue: "cancelled")
    public static let partiallyRefunded = OrderStatus(rawValue: "partiallyRefunded")
}
#endif
