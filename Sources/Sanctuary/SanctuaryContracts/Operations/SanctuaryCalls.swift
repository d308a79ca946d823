import CofferdamContracts
import SanctuaryDomain

/// The ports' operations, as the kit's families of rules drive them and their mutants replace them.
enum SanctuaryCalls {
    static let animals = PortCall<SanctuarySubject, ListQuery, ListPage<Animal>>(
        "animals",
        get: { subject in
            { ListPage(try await subject.services.catalogue.animals(PageRequest($0))) }
        },
        replace: { subject, perform in
            subject.replacingAnimals { _, request in Page(try await perform(ListQuery(request))) }
        }
    )

    static let orders = PortCall<SanctuarySubject, ListQuery, ListPage<Order>>(
        "orders",
        get: { subject in
            { ListPage(try await subject.services.orders.orders(PageRequest($0))) }
        },
        replace: { subject, perform in
            subject.replacingOrders { _, request in Page(try await perform(ListQuery(request))) }
        }
    )
}

extension ListQuery {
    init(_ request: PageRequest) { self.init(cursor: request.cursor?.rawValue, limit: request.limit) }
}

extension PageRequest {
    init(_ query: ListQuery) { self.init(cursor: query.cursor.map { Cursor($0) }, limit: query.limit) }
}

extension ListPage {
    init(_ page: Page<Item>) { self.init(items: page.items, next: page.next?.rawValue) }
}

extension Page where Item: Hashable {
    init(_ page: ListPage<Item>) { self.init(items: page.items, next: page.next.map { Cursor($0) }) }
}
