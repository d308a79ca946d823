/// An order. Each line is in a currency of its own.
struct Order: Sendable, Hashable {
    struct Line: Sendable, Hashable {
        var article: String
        var quantity: Int64
        /// In minor units.
        var unitPrice: Int64
        var currency: Currency
    }

    /// By what has happened to the money; each API has its own words.
    enum Status: Sendable, CaseIterable {
        case pending, authorized, captured, shipped, cancelled, partiallyRefunded
    }

    let id: String
    let userID: String
    var status: Status
    var lines: [Line]
    /// In whole seconds.
    let placedAt: Timestamp

    func isWholly(in currency: Currency) -> Bool { lines.allSatisfy { $0.currency == currency } }
}

/// All orders, oldest first.
struct OrderStore: Sendable {
    private(set) var orders: [Order] = []
    private var byKey: [Key: (lines: [Order.Line], position: Int)] = [:]

    private struct Key: Hashable {
        let userID: String
        let key: String
    }

    func order(_ id: String) -> Order? { orders.first { $0.id == id } }

    func orders(of user: User) -> [Order] { orders.filter { $0.userID == user.id } }

    @discardableResult
    mutating func place(
        _ lines: [Order.Line],
        for user: User,
        status: Order.Status = .pending,
        at moment: Timestamp
    ) -> Order {
        let order = Order(
            id: "o-\(orders.count + 1)",
            userID: user.id,
            status: status,
            lines: lines,
            placedAt: Timestamp(milliseconds: moment.milliseconds - moment.milliseconds % 1000)
        )
        orders.append(order)
        return order
    }

    /// Places it, or gives the order that was placed under that key.
    mutating func place(
        _ lines: [Order.Line],
        for user: User,
        key: String,
        at moment: Timestamp
    ) throws(Refusal) -> (order: Order, isNew: Bool) {
        let key = Key(userID: user.id, key: key)
        if let (placed, position) = byKey[key] {
            guard placed == lines else {
                throw Refusal(.conflict, "the idempotency key was used for another order")
            }
            return (orders[position], false)
        }
        let order = place(lines, for: user, at: moment)
        byKey[key] = (lines, orders.count - 1)
        return (order, true)
    }

    static let largestQuantity: Int64 = 1_000_000

    /// Checks what a client wants to order; `price` is the field's name in its API.
    static func validate(_ lines: [Order.Line], price: String) throws(Refusal) {
        guard !lines.isEmpty else { throw Refusal(.validation, "an order has at least one line", field: "lines") }
        var totals: [Currency: Int64] = [:]
        for (index, line) in lines.enumerated() {
            guard !line.article.isEmpty, line.article.utf8.count <= 200 else {
                throw Refusal(.validation, "1 to 200 bytes", field: "lines[\(index)].article")
            }
            guard (1...largestQuantity).contains(line.quantity) else {
                throw Refusal(.validation, "1 to \(largestQuantity)", field: "lines[\(index)].quantity")
            }
            let product = line.unitPrice.multipliedReportingOverflow(by: line.quantity)
            let sum = totals[line.currency, default: 0].addingReportingOverflow(product.partialValue)
            guard !product.overflow, !sum.overflow else {
                throw Refusal(.validation, "the total is too large", field: "lines[\(index)].\(price)")
            }
            totals[line.currency] = sum.partialValue
        }
    }
}
