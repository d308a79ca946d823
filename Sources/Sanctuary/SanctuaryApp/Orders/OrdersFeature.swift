import Cofferdam
public import SanctuaryDomain  // the domain's orders

/// The keeper's orders. Nothing is asked of the vendor while nobody is signed in: it throws `authenticationRequired`.
public struct OrdersFeature: Sendable {
    private let port: any Orders
    private let account: RequiredCredential<Account>
    private let limits: WalkLimits
    private let makeKey: @Sendable () -> String

    init(
        port: any Orders,
        account: RequiredCredential<Account>,
        limits: WalkLimits,
        makeKey: @escaping @Sendable () -> String
    ) {
        self.port = port
        self.account = account
        self.limits = limits
        self.makeKey = makeKey
    }

    /// All orders, oldest first.
    public func orders() async throws -> [Order] {
        try await account.use { _ in try await walk("orders", limits: limits) { try await port.orders($0) } }
    }

    public func order(_ id: OrderID) async throws -> Order { try await account.use { _ in try await port.order(id) } }

    /// Places an order of what the keeper wrote.
    ///
    /// - Throws: `invalidInput`, naming the field, before anything is sent. After `outcomeUnknown`, look at ``orders()`` before trying again.
    public func place(_ inputs: [OrderInput]) async throws -> Order {
        try await port.place(try await draft(of: inputs))
    }

    /// What ``place(_:)`` would send.
    public func draft(of inputs: [OrderInput]) async throws -> OrderDraft {
        guard !inputs.isEmpty else { throw FeatureError(.invalidInput, "an order needs a line", subject: "lines") }
        let currency = try await account.get().currency
        let lines = try inputs.map { try $0.line(accountCurrency: currency) }
        return OrderDraft(lines: lines, key: makeKey())
    }
}
