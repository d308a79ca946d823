import CofferdamContracts
import SanctuaryDomain

/// The ports' operations, as the kit's families of rules drive them and their mutants replace them.
enum SanctuaryCalls {
    static let animals = PortCall<SanctuarySubject, ListQuery, ListPage<Animal>>(
        "animals",
        get: { subject in
            { ListPage(try await subject.services.catalogue.animals(AnimalsRequest(PageRequest($0)))) }
        },
        replace: { subject, perform in
            subject.replacingAnimals { clean, request in
                guard request.group == nil else { return try await clean.animals(request) }
                return Page(try await perform(ListQuery(request.page)))
            }
        }
    )

    /// All animals of a group, by the vendor's word for it; of several pages.
    static let animalsOfGroup = PortCall<SanctuarySubject, String, [Animal]>(
        "animals of a group",
        get: { subject in
            { group in
                var animals: [Animal] = []
                var request = AnimalsRequest(PageRequest(limit: 4), group: AnimalGroup(group))
                repeat {
                    let page = try await subject.services.catalogue.animals(request)
                    animals += page.items
                    request.page.cursor = page.next
                } while request.page.cursor != nil
                return animals
            }
        },
        replace: { subject, perform in
            subject.replacingAnimals { clean, request in
                guard let group = request.group else { return try await clean.animals(request) }
                return Page(items: try await perform(group.description), next: nil)
            }
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
