import SanctuaryDomain
import Testing

@Suite struct DraftTests {
    private static let line = OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 450, currency: .eur))

    private static let huge = OrderLine(
        article: "hay",
        quantity: 2,
        unitPrice: Money(minorUnits: .max, currency: .eur)
    )

    @Test(arguments: [
        (OrderDraft(lines: [], key: "k"), "lines"),
        (
            OrderDraft(lines: [line, OrderLine(article: "hay", quantity: 0, unitPrice: line.unitPrice)], key: "k"),
            "lines[1].quantity"
        ),
        (OrderDraft(lines: [huge], key: "k"), "lines"),
        (OrderDraft(lines: [line], key: ""), "key"),
    ])
    func `an order that no vendor could take is refused, and its field named`(draft: OrderDraft, field: String) {
        let error = #expect(throws: SanctuaryError.self) { try draft.validate() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.subject == field)
    }

    @Test(arguments: [(MessageDraft(text: "", key: "k"), "text"), (MessageDraft(text: "hello", key: ""), "key")])
    func `a message that no vendor could take is refused, and its field named`(draft: MessageDraft, field: String) {
        let error = #expect(throws: SanctuaryError.self) { try draft.validate() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.subject == field)
    }

    @Test func `drafts that make sense pass`() throws {
        try OrderDraft(lines: [Self.line], key: "k").validate()
        try MessageDraft(text: "hello", key: "k").validate()
    }
}
