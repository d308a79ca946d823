public import SanctuaryDomain  // the domain's orders

/// The keeper's orders.
public struct OrdersFeature: Sendable {
    private let port: any Orders
    private let accounts: any Accounts
    private let limits: WalkLimits
    private let makeKey: @Sendable () -> String

    init(port: any Orders, accounts: any Accounts, limits: WalkLimits, makeKey: @escaping @Sendable () -> String) {
        self.port = port
        self.accounts = accounts
        self.limits = limits
        self.makeKey = makeKey
    }

    /// All orders, oldest first.
    public func orders() async throws -> [Order] {
        try await walk("orders", limits: limits) { try await port.orders($0) }
    }

    public func order(_ id: OrderID) async throws -> Order { try await port.order(id) }

    /// Places an order of what the keeper wrote.
    ///
    /// - Throws: `invalidInput`, naming the field, before anything is sent; `authenticationRequired` if nobody is signed
    ///   in. After `outcomeUnknown`, look at ``orders()`` before trying again.
    public func place(_ inputs: [OrderInput]) async throws -> Order {
        try await port.place(try await draft(of: inputs))
    }

    /// What ``place(_:)`` would send.
    public func draft(of inputs: [OrderInput]) async throws -> OrderDraft {
        guard !inputs.isEmpty else { throw FeatureError(.invalidInput, "an order needs a line", subject: "lines") }
        guard case .signedIn(let account) = try await accounts.state() else {
            throw SanctuaryError(.authenticationRequired, "sign in to order")
        }
        let lines = try inputs.map { try $0.line(accountCurrency: account.currency) }
        return OrderDraft(lines: lines, key: makeKey())
    }
}
