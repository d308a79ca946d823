import Cofferdam
public import CofferdamState  // the orders are a loadable
import CofferdamStore
public import SanctuaryDomain  // the domain's orders

/// The keeper's orders. Without a signed-in user every call throws `authenticationRequired` and the vendor is not
/// asked.
public struct OrdersFeature: Sendable {
    /// All orders, oldest first. An order being placed is already included, and is removed if placing it fails.
    public var all: Loadable<[ShownOrder]> { list.loadable }

    let list: StoreList<ShownOrder>
    private let port: any Orders
    private let account: RequiredCredential<Account>
    private let placing: Mutation<Placing, ShownOrder>
    private let makeKey: @Sendable () -> String

    init(
        port: any Orders,
        account: RequiredCredential<Account>,
        list: StoreList<ShownOrder>,
        now: @escaping @Sendable () -> Instant,
        makeKey: @escaping @Sendable () -> String
    ) {
        self.port = port
        self.account = account
        self.list = list
        self.makeKey = makeKey
        placing = Mutation(
            scope: MutationScope(),
            optimistically: { placing in
                // Without a loaded list the order would appear as the only one.
                guard list.epoch == placing.epoch, list.loadable.snapshot.contents != nil else { return [] }
                let pending = list.resolved(ShownOrder(pending: placing.draft, at: now()))
                return [list.loadable.writeOptimistically { ($0 ?? []).upserting(pending) }]
            },
            confirm: { placing, order, writes in
                for write in writes { list.loadable.confirm(write) { ($0 ?? []).upserting(order) } }
                list.put(order, epoch: placing.epoch)
            },
            finish: { _, _ in
                // Only the vendor knows the current orders: screens that show the list read it again.
                list.loadable.invalidate()
            },
            perform: { placing in
                guard list.epoch == placing.epoch else {
                    throw SanctuaryError(.authenticationRequired, "the user who wrote the order has signed out")
                }
                return list.resolved(ShownOrder(try await port.place(placing.draft)))
            }
        )
    }

    /// Reads all orders from the vendor, oldest first.
    public func orders() async throws -> [ShownOrder] { try await all.fetch() }

    /// Reads all orders from the vendor; if that fails, returns those loaded before.
    public func latest() async throws -> Latest<[ShownOrder]> { try await all.latest() }

    /// Reads the order from the vendor, and updates it in the list.
    public func order(_ id: OrderID) async throws -> ShownOrder {
        let order = ShownOrder(try await account.use { _ in try await port.order(id) })
        return list.update(order)
    }

    /// Places an order of the keeper's input, one order at a time. If ``all`` is loaded, it includes the order at once.
    ///
    /// - Throws: `invalidInput`, naming the field, before anything is sent. After `outcomeUnknown`, check ``orders()``
    ///   before trying again.
    public func place(_ inputs: [OrderInput]) async throws -> ShownOrder {
        let epoch = list.epoch
        return try await placing.run(Placing(draft: try await draft(of: inputs), epoch: epoch))
    }

    /// Returns the draft that ``place(_:)`` would send.
    public func draft(of inputs: [OrderInput]) async throws -> OrderDraft {
        guard !inputs.isEmpty else { throw FeatureError(.invalidInput, "an order needs a line", subject: "lines") }
        let currency = try await account.get().currency
        let lines = try inputs.map { try $0.line(accountCurrency: currency) }
        return OrderDraft(lines: lines, key: makeKey())
    }
}

/// An order to place, with the list's epoch at that time.
private struct Placing: Sendable {
    var draft: OrderDraft
    var epoch: Int
}
