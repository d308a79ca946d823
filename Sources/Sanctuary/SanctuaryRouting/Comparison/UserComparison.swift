public import CofferdamUpgrade  // comparators are the kit's values
public import SanctuaryDomain  // what is compared

extension Comparator<Order> {
    /// An order with its lines and totals; amounts are exact, so nothing is tolerated.
    public static var orders: Self {
        Self().field("id", \.id).field("status", \.status).field("placedAt", \.placedAt.millisecondsSince1970)
            .field("lines", \.lines) { "\($0.count) lines" }
            .field("totals", \.totals) { $0.map { totals in "\(totals)" } ?? "too large" }
    }
}

extension Comparator<Message> {
    /// A message; what people write, and who they are, is never shown.
    public static var messages: Self {
        Self().field("id", \.id).field("author", \.author, text: concealed).field("text", \.text, text: concealed)
            .field("sentAt", \.sentAt.millisecondsSince1970)
    }
}

extension Comparator<Account> {
    public static var accounts: Self {
        Self().field("id", \.id, text: concealed).field("displayName", \.displayName, text: concealed)
            .field("currency", \.currency.code)
    }
}

/// What is shown of a text of the user's.
@Sendable private func concealed(_ text: String) -> String { "\(text.utf8.count) bytes of text" }
