public import Cofferdam  // comparators are the kit's values
public import SanctuaryDomain  // what is compared

extension Comparator<Order> {
    /// Compares orders with their lines and totals; amounts are exact, so there is no tolerance.
    public static var orders: Self {
        Self().field("id", \.id).field("status", \.status).field("placedAt", \.placedAt.millisecondsSince1970)
            .list("lines", \.lines, .orderLines)
            .field("totals", \.totals) { $0.map { totals in "\(totals)" } ?? "too large" }
    }
}

extension Comparator<OrderLine> {
    /// What a user bought is private.
    fileprivate static var orderLines: Self {
        Self().redactedField("article", \.article).field("quantity", \.quantity).field("unitPrice", \.unitPrice)
    }
}

extension Comparator<Message> {
    /// Compares messages; their texts and authors are never shown.
    public static var messages: Self {
        Self().field("id", \.id).redactedField("author", \.author).redactedField("text", \.text)
            .field("sentAt", \.sentAt.millisecondsSince1970)
    }
}

extension Comparator<Account> {
    public static var accounts: Self {
        Self().redactedField("id", \.id).redactedField("displayName", \.displayName)
            .field("currency", \.currency.code)
    }
}
