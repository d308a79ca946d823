import Cofferdam
import MenagerieV2
import SanctuaryDomain

extension Translator where Source == MenagerieV2.Order, Target == SanctuaryDomain.Order {
    static var orders: Translator {
        Translator { source, report throws(TranslationIssue) in
            var lines: [SanctuaryDomain.OrderLine] = []
            for (index, line) in source.lines.enumerated() {
                guard line.quantity >= 1 else {
                    throw TranslationIssue(
                        "a quantity below 1",
                        at: "lines[\(index)].quantity",
                        raw: "\(line.quantity)"
                    )
                }
                let price = try money(line.unitPrice, at: "lines[\(index)].unitPrice")
                lines.append(.init(article: line.article, quantity: line.quantity, unitPrice: price))
            }
            guard let placedAt = Instant(rfc3339: source.placedAt) else {
                throw TranslationIssue("no RFC 3339 date", at: "placedAt", raw: source.placedAt)
            }
            let status = SanctuaryDomain.OrderStatus(source.status)
            if case .unknown(let raw) = status {
                report.add(TranslationIssue("unknown status", at: "status", raw: raw, severity: .warning))
            }
            return SanctuaryDomain.Order(id: OrderID(source.id), status: status, lines: lines, placedAt: placedAt)
        }
    }

    private static func money(
        _ money: MenagerieV2.Money,
        at path: String
    ) throws(TranslationIssue) -> SanctuaryDomain.Money {
        guard let currency = Currency(money.currency) else {
            throw TranslationIssue("no currency", at: path + ".currency", raw: money.currency)
        }
        guard let amount = SanctuaryDomain.Money(decimal: money.amount, currency: currency) else {
            throw TranslationIssue("no amount of \(currency.code)", at: path + ".amount", raw: money.amount)
        }
        return amount
    }
}

extension SanctuaryDomain.OrderStatus {
    /// By what has happened to the money: this vendor's "paid" is captured.
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
