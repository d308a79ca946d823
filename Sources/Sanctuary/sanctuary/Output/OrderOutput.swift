#if Sandbox
import Cofferdam
import CofferdamSupport
import SanctuaryDomain

/// An order as the commands print it. Amounts are decimals in strings, because JSON's numbers do not hold them exactly.
struct OrderOutput: Encodable {
    let id: String
    let status: String
    let placedAt: String
    let lines: [Line]
    /// The sum for each currency; null if one is too large.
    let totals: [Amount]?

    struct Line: Encodable {
        let article: String
        let quantity: Int
        let unitPrice: Amount
    }

    struct Amount: Encodable {
        let amount: String
        let currency: String

        init(_ money: Money) {
            amount = money.decimal
            currency = money.currency.code
        }
    }

    init(_ order: Order) {
        id = order.id.rawValue
        status = order.status.description
        placedAt = order.placedAt.rfc3339
        lines = order.lines.map { Line(article: $0.article, quantity: $0.quantity, unitPrice: Amount($0.unitPrice)) }
        totals = order.totals?.map(Amount.init)
    }

    static func table(_ orders: [Order], _ style: TerminalStyle) -> String {
        var table = TextTable([.init("ID"), .init("PLACED"), .init("STATUS"), .right("LINES"), .right("TOTAL")])
        for order in orders {
            table.add([
                .init(order.id.rawValue), .init(order.placedAt.short),
                .init(order.status.description, order.status.colour),
                .init("\(order.lines.count)"), .init(order.total),
            ])
        }
        return table.render(style)
    }

    /// One order with its lines.
    static func details(_ order: Order, _ style: TerminalStyle) -> String {
        var table = TextTable([.init("ARTICLE"), .right("QUANTITY"), .right("EACH")])
        for line in order.lines {
            table.add([.init(line.article), .init("\(line.quantity)"), .init("\(line.unitPrice)")])
        }
        let status = style.apply(order.status.colour, to: order.status.description.escapedForTerminal)
        return """
            order \(order.id.rawValue.escapedForTerminal), \(status), placed \(order.placedAt.short)

            \(table.render(style))
            total \(order.total)

            """
    }
}

extension Order {
    fileprivate var total: String { totals?.map(\.description).joined(separator: " + ") ?? "too large" }
}

extension OrderStatus {
    fileprivate var colour: TerminalStyle.Colour? {
        switch self {
        case .authorized, .captured, .shipped: .green
        case .cancelled: .dim
        case .partiallyRefunded, .unknown: .yellow
        case .pending: nil
        }
    }
}
#endif
