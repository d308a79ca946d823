public import SanctuaryDomain  // the input becomes the domain's draft

/// One line of an order as the keeper typed it.
public struct OrderInput: Sendable, Hashable {
    public var article: String
    public var quantity: Int
    /// The unit price: "4.50", "4.50 EUR" or "EUR 4.50"; without a code, in the account's currency.
    public var price: String

    public init(article: String, quantity: Int, price: String) {
        self.article = article
        self.quantity = quantity
        self.price = price
    }

    /// Returns the line as an order's line.
    ///
    /// - Throws: `invalidInput`, naming the field.
    public func line(accountCurrency: Currency) throws(FeatureError) -> OrderLine {
        guard article.contains(where: { !$0.isWhitespace }) else {
            throw FeatureError(.invalidInput, "an article is needed", subject: "article")
        }
        guard quantity >= 1 else {
            throw FeatureError(.invalidInput, "at least 1, not \(quantity)", subject: "quantity")
        }
        return OrderLine(
            article: article,
            quantity: quantity,
            unitPrice: try Self.money(price, accountCurrency: accountCurrency)
        )
    }

    /// Parses an amount with or without a currency code on either side.
    ///
    /// - Throws: `invalidInput` for "price", with the reason.
    public static func money(_ text: String, accountCurrency: Currency) throws(FeatureError) -> Money {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        var amount = words.first ?? ""
        var currency = accountCurrency
        switch words.count {
        case 1: break
        case 2:
            let codes = words.compactMap { Currency($0) }
            let amounts = words.filter { Currency($0) == nil }
            guard let code = codes.first, let only = amounts.first, codes.count == 1 else { throw unreadable(text) }
            (amount, currency) = (only, code)
        default: throw unreadable(text)
        }
        if let money = Money(decimal: amount, currency: currency) { return money }
        // Checks whether the amount is valid except for too many decimals.
        guard let point = amount.firstIndex(of: "."),
            Money(decimal: String(amount[..<point]), currency: currency) != nil,
            amount[point...].dropFirst().utf8.allSatisfy({ (48...57).contains($0) }),
            amount[point...].utf8.count - 1 > currency.exponent
        else { throw unreadable(text) }
        throw FeatureError(
            .invalidInput,
            "\(currency.code) has \(currency.exponent) decimals, \"\(text)\" has more",
            subject: "price"
        )
    }

    private static func unreadable(_ text: String) -> FeatureError {
        FeatureError(.invalidInput, "\"\(text)\" is not an amount: write 4.50 or 4.50 EUR", subject: "price")
    }
}
