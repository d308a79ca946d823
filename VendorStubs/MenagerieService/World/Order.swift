#if Sandbox
/// An order. Each line has its own currency.
struct Order: Sendable, Hashable, Codable {
    struct Line: Sendable, Hashable, Codable {
        var article: String
        var quantity: Int64
        /// In minor units.
        var unitPrice: Int64
        var currency: Currency
    }

    /// The status of the payment; each API has its own terms.
    enum Status: String, Sendable, CaseIterable, Codable {
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
    /// The idempotency keys, in order of first use.
    private var keys: [Key] = []
    /// The positions of orders that changed after they were placed.
    private var changed: Set<Int> = []

    fileprivate struct Key: Hashable, Codable {
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

    /// Places an order, or returns the one placed under the same key.
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
        keys.append(key)
        return (order, true)
    }

    /// Sets an order's status; returns false if there is no such order.
    mutating func setStatus(_ status: Order.Status, of id: String) -> Bool {
        guard let position = orders.firstIndex(where: { $0.id == id }) else { return false }
        orders[position].status = status
        changed.insert(position)
        return true
    }

    static let largestQuantity: Int64 = 1_000_000

    /// Validates a client's order; `price` is the field's name in its API.
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

extension OrderStore {
    /// What has been stored so far.
    struct Marks: Sendable {
        var orders = 0
        var keys = 0
    }

    /// An idempotency key with its order.
    struct StoredKey: Codable {
        fileprivate let key: Key
        fileprivate let lines: [Order.Line]
        fileprivate let position: Int
    }

    /// Creates the store from stored values.
    init(stored: [Order], keys: [StoredKey]) {
        orders = stored
        for key in keys {
            byKey[key.key] = (key.lines, key.position)
            self.keys.append(key.key)
        }
    }

    /// Returns what is new or changed since it was last stored, by position, and updates the marks.
    func changes(since marks: inout Marks) -> (orders: [(Int, Order)], keys: [(Int, StoredKey)]) {
        let old = changed.filter { $0 < marks.orders }.sorted()
        let positions = old + Array(marks.orders..<orders.count)
        let newKeys = (marks.keys..<keys.count).compactMap { position -> (Int, StoredKey)? in
            let key = keys[position]
            return byKey[key].map { (position, StoredKey(key: key, lines: $0.lines, position: $0.position)) }
        }
        marks = Marks(orders: orders.count, keys: keys.count)
        return (positions.map { ($0, orders[$0]) }, newKeys)
    }
}
#endif
