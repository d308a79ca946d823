/// An order as the vendor has recorded it.
public struct Order: Sendable, Hashable, Identifiable {
    public let id: OrderID
    public var status: OrderStatus
    public var lines: [OrderLine]
    public var placedAt: Instant

    public init(id: OrderID, status: OrderStatus, lines: [OrderLine], placedAt: Instant) {
        self.id = id
        self.status = status
        self.lines = lines
        self.placedAt = placedAt
    }

    /// The sum for each currency, in the order in which they first occur; nil if a sum does not fit in 64 bits.
    public var totals: [Money]? { lines.totals }
}

extension [OrderLine] {
    /// The sum for each currency, in the order in which they first occur; nil if a sum does not fit in 64 bits.
    public var totals: [Money]? {
        var totals: [Money] = []
        for line in self {
            let (amount, tooLarge) = line.unitPrice.minorUnits.multipliedReportingOverflow(by: Int64(line.quantity))
            guard !tooLarge else { return nil }
            let index = totals.firstIndex { $0.currency == line.unitPrice.currency }
            let (sum, overflow) = (index.map { totals[$0].minorUnits } ?? 0).addingReportingOverflow(amount)
            guard !overflow else { return nil }
            let total = Money(minorUnits: sum, currency: line.unitPrice.currency)
            if let index { totals[index] = total } else { totals.append(total) }
        }
        return totals
    }
}

public struct OrderID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    public var description: String { rawValue }

    /// Refuses the ids that would change a server's address: an empty one, "." and "..". No vendor sees them.
    ///
    /// - Throws: `notFound`.
    public func check() throws(SanctuaryError) {
        guard !["", ".", ".."].contains(rawValue) else {
            throw SanctuaryError(.notFound, "no order has such an id", subject: rawValue)
        }
    }
}

/// A quantity of one article, with its unit price.
public struct OrderLine: Sendable, Hashable {
    public var article: String
    /// The quantity, at least 1.
    public var quantity: Int
    /// The price of one; negative for a refund.
    public var unitPrice: Money

    public init(article: String, quantity: Int, unitPrice: Money) {
        self.article = article
        self.quantity = quantity
        self.unitPrice = unitPrice
    }
}

/// An order's status, by what happened to the payment: one vendor's "paid" is another's "authorized".
public enum OrderStatus: Sendable, Hashable, CustomStringConvertible {
    case pending, authorized, captured, shipped, cancelled, partiallyRefunded
    case unknown(String)

    public var description: String {
        switch self {
        case .pending: "pending"
        case .authorized: "authorized"
        case .captured: "captured"
        case .shipped: "shipped"
        case .cancelled: "cancelled"
        case .partiallyRefunded: "partially refunded"
        case .unknown(let raw): raw
        }
    }
}

/// An order to place.
public struct OrderDraft: Sendable, Hashable {
    public var lines: [OrderLine]
    /// Identifies this attempt: if the vendor has `idempotencyKeys`, the same key means the same order, however often
    /// it is sent.
    public var key: String

    public init(lines: [OrderLine], key: String) {
        self.lines = lines
        self.key = key
    }

    /// Validates what needs no vendor: every adapter applies the same checks before anything is sent.
    ///
    /// - Throws: `invalidRequest`, naming the field, for no lines, a quantity below 1, a sum that does not fit in 64 bits,
    ///   or an empty key.
    public func validate() throws(SanctuaryError) {
        guard !lines.isEmpty else { throw SanctuaryError(.invalidRequest, "an order needs a line", subject: "lines") }
        for (index, line) in lines.enumerated() where line.quantity < 1 {
            throw SanctuaryError(.invalidRequest, "a quantity below 1", subject: "lines[\(index)].quantity")
        }
        guard lines.totals != nil else {
            throw SanctuaryError(.invalidRequest, "the sum is too large", subject: "lines")
        }
        guard !key.isEmpty else { throw SanctuaryError(.invalidRequest, "an order needs a key", subject: "key") }
    }
}
