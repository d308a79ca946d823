#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

extension Translator where Source == MenagerieOrder, Target == Order {
    /// Translates an order in the account's currency: the vendor's amounts carry none.
    static func order(in currency: Currency) -> Self {
        Translator { source, report throws(TranslationIssue) in
            let status = OrderStatus(vendor: source.status)
            if case .unknown(let raw) = status {
                report.add(TranslationIssue("unknown status", at: "status", raw: raw, severity: .warning))
            }
            guard let placedAt = Instant(seconds: source.placedAt.timeIntervalSince1970) else {
                throw TranslationIssue(
                    "not a valid time",
                    at: "placed_at",
                    raw: "\(source.placedAt.timeIntervalSince1970)"
                )
            }
            let lines = try Translator<_, _>.orderLine(in: currency).translate(
                source.lines,
                at: "lines",
                into: &report,
                policy: .failOnFirst
            )
            return Order(id: OrderID(source.id), status: status, lines: lines, placedAt: placedAt)
        }
    }
}

extension Translator where Source == MenagerieOrderLine, Target == OrderLine {
    fileprivate static func orderLine(in currency: Currency) -> Self {
        Translator { line, _ throws(TranslationIssue) in
            guard line.quantity >= 1 else {
                throw TranslationIssue("quantity below 1", at: "quantity", raw: String(line.quantity))
            }
            let unitPrice = Money(minorUnits: line.unitPrice, currency: currency)
            return OrderLine(article: line.article, quantity: line.quantity, unitPrice: unitPrice)
        }
    }
}

extension OrderStatus {
    /// Creates a status. This vendor calls an authorised payment "paid": nothing has been captured yet.
    fileprivate init(vendor status: String) {
        self =
            switch status {
            case "pending": .pending
            case "paid": .authorized
            case "shipped": .shipped
            case "cancelled": .cancelled
            default: .unknown(status)
            }
    }
}

extension MenagerieOrderLine {
    /// Creates a line of an order, in the account's currency.
    convenience init(_ line: OrderLine) {
        self.init(article: line.article, quantity: line.quantity, unitPrice: line.unitPrice.minorUnits)
    }
}
#endif
