#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

extension Translator where Source == MenagerieV2.Order, Target == SanctuaryDomain.Order {
    static var orders: Translator {
        Translator { source, report throws(TranslationIssue) in
            let lines = try Translator<_, _>.orderLines.translate(
                source.lines,
                at: "lines",
                into: &report,
                policy: .failOnFirst
            )
            guard let placedAt = Instant(rfc3339: source.placedAt) else {
                throw TranslationIssue("not an RFC 3339 date", at: "placedAt", raw: source.placedAt)
            }
            let status = SanctuaryDomain.OrderStatus(source.status)
            if case .unknown(let raw) = status {
                report.add(TranslationIssue("unknown status", at: "status", raw: raw, severity: .warning))
            }
            return SanctuaryDomain.Order(id: OrderID(source.id), status: status, lines: lines, placedAt: placedAt)
        }
    }

}

extension Translator where Source == MenagerieV2.OrderLine, Target == SanctuaryDomain.OrderLine {
    fileprivate static var orderLines: Translator {
        Translator { line, _ throws(TranslationIssue) in
            guard line.quantity >= 1 else {
                throw TranslationIssue("a quantity below 1", at: "quantity", raw: "\(line.quantity)")
            }
            let price = line.unitPrice
            guard let currency = Currency(price.currency) else {
                throw TranslationIssue("not a currency", at: "unitPrice.currency", raw: price.currency)
            }
            guard let unitPrice = SanctuaryDomain.Money(decimal: price.amount, currency: currency) else {
                throw TranslationIssue("not an amount of \(currency.code)", at: "unitPrice.amount", raw: price.amount)
            }
            return SanctuaryDomain.OrderLine(article: line.article, quantity: line.quantity, unitPrice: unitPrice)
        }
    }
}

extension SanctuaryDomain.OrderStatus {
    /// Creates a status by what happened to the payment: this vendor's "paid" means captured.
    init(_ status: MenagerieV2.OrderStatus) {
        self =
            switch status {
            case .pending: .pending
            case .authorized: .authorized
            case .paid: .captured
            case .shipped: .shipped
            case .cancelled: .cancelled
            case .partiallyRefunded: .partiallyRefunded
            default: .unknown(status.rawValue)
            }
    }
}

extension MenagerieV2.OrderLine {
    init(_ line: SanctuaryDomain.OrderLine) {
        let price = MenagerieV2.Money(amount: line.unitPrice.decimal, currency: line.unitPrice.currency.code)
        self.init(article: line.article, quantity: line.quantity, unitPrice: price)
    }
}
#endif
