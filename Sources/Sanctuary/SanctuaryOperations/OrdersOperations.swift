public import Cofferdam  // operations are the kit's values
public import SanctuaryDomain  // of the domain's ports

/// The operations of ``Orders``.
public enum OrdersOperations {
    public static let orders = PortOperation<any Orders, PageRequest, Page<Order>>("orders", .read) {
        try await $0.orders($1)
    }
    .ofUser()
    .paged(by: .pages(cursor: { $0.cursor?.rawValue }, setCursor: { $0.cursor = Cursor($1) }))
    .compared(by: .orderPages)
    .recorded(as: PageRecord<OrderRecord>.self) { ["cursor": $0.cursor?.rawValue, "limit": $0.limit] }

    public static let order = PortOperation<any Orders, OrderID, Order>("order", .read) { try await $0.order($1) }
        .ofUser()
        .compared(by: .orders)
        .spoiled { $0.status = .cancelled }
        .recorded(as: OrderRecord.self) { ["id": $0.rawValue] }

    /// Not idempotent across the two SDKs, because V1 sends no key.
    public static let place = PortOperation<any Orders, OrderDraft, Order>("place", .write) { try await $0.place($1) }
        .ofUser()
        .recorded(as: OrderRecord.self) {
            ["lines": $0.lines.map { OrderLineRecord($0) }, "key": $0.key]
        }
}

extension Intercepted: Orders where Port == any Orders {
    public func orders(_ request: PageRequest) async throws -> Page<Order> {
        try await call(OrdersOperations.orders, request) { try await $0.orders($1) }
    }

    public func order(_ id: OrderID) async throws -> Order {
        try await call(OrdersOperations.order, id) { try await $0.order($1) }
    }

    public func place(_ draft: OrderDraft) async throws -> Order {
        try await call(OrdersOperations.place, draft) { try await $0.place($1) }
    }
}
