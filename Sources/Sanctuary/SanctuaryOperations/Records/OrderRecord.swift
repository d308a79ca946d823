import Cofferdam
package import SanctuaryDomain  // of the domain's values

package struct OrderRecord: TapeRecord {
    var id: String
    var status: Term<OrderStatus>
    var lines: [OrderLineRecord]
    var placedAt: Int64

    package init(_ order: Order) {
        id = order.id.rawValue
        status = Term(order.status)
        lines = order.lines.map { OrderLineRecord($0) }
        placedAt = order.placedAt.millisecondsSince1970
    }

    package var value: Order {
        get throws {
            Order(
                id: OrderID(id),
                status: try status.value,
                lines: try lines.value,
                placedAt: Instant(millisecondsSince1970: placedAt)
            )
        }
    }
}

package struct OrderLineRecord: TapeRecord {
    var article: String
    var quantity: Int
    /// In the currency's minor unit.
    var unitPrice: Int64
    var currency: String

    package init(_ line: OrderLine) {
        article = line.article
        quantity = line.quantity
        unitPrice = line.unitPrice.minorUnits
        currency = line.unitPrice.currency.code
    }

    package var value: OrderLine {
        get throws {
            let price = Money(minorUnits: unitPrice, currency: try Currency(recorded: currency))
            return OrderLine(article: article, quantity: quantity, unitPrice: price)
        }
    }
}

extension Currency {
    init(recorded code: String) throws(TapeError) {
        guard let currency = Currency(code) else { throw TapeError(.unreadable, "not a currency: \(code)") }
        self = currency
    }
}
