import CofferdamStore
public import SanctuaryDomain  // it shows one of the domain's orders

/// An order as screens show it, with the animals that its articles mention.
public struct ShownOrder: Mentioning {
    public var id: OrderID { order.id }
    /// The order as the vendor sent it.
    public let order: Order
    /// The article of each line.
    public var texts: [MentioningText]
    /// Whether the vendor has not confirmed the order yet.
    public let isPending: Bool

    public init(_ order: Order) { self.init(order, texts: order.lines.map { MentioningText($0.article) }) }

    init(_ order: Order, texts: [MentioningText], isPending: Bool = false) {
        self.order = order
        self.texts = texts
        self.isPending = isPending
    }

    /// Creates the expected order from a draft that the vendor has not confirmed yet.
    init(pending draft: OrderDraft, at moment: Instant) {
        let order = Order(id: Self.id(of: draft), status: .pending, lines: draft.lines, placedAt: moment)
        self.init(order, texts: order.lines.map { MentioningText($0.article) }, isPending: true)
    }

    static func id(of draft: OrderDraft) -> OrderID { OrderID("pending:\(draft.key)") }

    /// The order with the current names of the animals in its articles.
    public var shown: Order {
        var shown = order
        for (index, text) in texts.enumerated() where shown.lines.indices.contains(index) {
            shown.lines[index].article = text.shown
        }
        return shown
    }
}
