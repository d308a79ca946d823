import CofferdamUpgrade
import SanctuaryDomain

struct RoutedOrders: Orders {
    let route: Route<any Orders>

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try await route.walk("orders", request, carrying: .pages(\.cursorText), comparing: .orderPages) {
            try await $0.orders($1)
        }
    }

    func order(_ id: OrderID) async throws -> Order {
        try await route.read("order", id, comparing: .orders) { try await $0.order($1) }
    }

    // Not idempotent between the two: V1 sends no key.
    func place(_ draft: OrderDraft) async throws -> Order {
        try await route.write("place", draft) { try await $0.place($1) }
    }
}
