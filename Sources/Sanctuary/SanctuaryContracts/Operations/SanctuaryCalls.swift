import Cofferdam
import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

/// The ports' operations, which the kit's families of rules call and their mutants replace.
enum SanctuaryCalls {
    static let animal = PortCall(CatalogueOperations.animal, at: .catalogue)
    static let order = PortCall(OrdersOperations.order, at: .orders)
    static let place = PortCall(OrdersOperations.place, at: .orders)
    static let send = PortCall(MessagesOperations.send, at: .messages)
    static let accessories = PortCall(AccessoriesOperations.accessories, at: .accessories)
    static let scan = PortCall(AccessoriesOperations.scan, at: .accessories)
    static let release = PortCall(AccessoriesOperations.release, at: .accessories)
    static let perform = PortCall(AccessoriesOperations.perform, at: .accessories)
    static let nicknames = PortCall(AccessoriesOperations.nicknames, at: .accessories)
    static let setNickname = PortCall(AccessoriesOperations.setNickname, at: .accessories)
    static let activate = PortCall(AccessoriesOperations.activate, at: .accessories)
    static let signIn = PortCall(AccountsOperations.signIn, at: .accounts)

    // MARK: Lists

    static let animals = PortCall<SanctuarySubject, ListQuery, ListPage<Animal>>(
        "animals",
        get: { subject in
            { ListPage(try await subject.services.catalogue.animals(AnimalsRequest(PageRequest($0)))) }
        },
        replace: { subject, perform in
            PortPlace.catalogue.replacing(CatalogueOperations.animals, in: subject) { clean, request in
                guard request.group == nil else { return try await clean(request) }
                return Page(try await perform(ListQuery(request.page)))
            }
        }
    )

    /// All animals of a group, by the vendor's name for the group, across pages.
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
            PortPlace.catalogue.replacing(CatalogueOperations.animals, in: subject) { clean, request in
                guard let group = request.group else { return try await clean(request) }
                return Page(items: try await perform(group.description), next: nil)
            }
        }
    )

    /// One page of all animals, or of those of a group.
    static let selectedAnimals = PortCall<SanctuarySubject, SelectedQuery, ListPage<Animal>>(
        "animals of a group, by pages",
        get: { subject in
            { query in
                let request = AnimalsRequest(PageRequest(query.page), group: query.selection.map { AnimalGroup($0) })
                return ListPage(try await subject.services.catalogue.animals(request))
            }
        },
        replace: { subject, perform in
            PortPlace.catalogue.replacing(CatalogueOperations.animals, in: subject) { _, request in
                Page(try await perform(SelectedQuery(request.group?.description, ListQuery(request.page))))
            }
        }
    )

    static let orders = list(OrdersOperations.orders, at: .orders)
    static let messages = list(MessagesOperations.messages, at: .messages)

    /// All accessories, as a list of one page.
    static let accessoryPages = onePage(of: accessories)
    /// What a search has found, as a list of one page.
    static let scanPages = onePage(of: scan)

    private static func onePage(
        of call: PortCall<SanctuarySubject, Void, [Accessory]>
    ) -> PortCall<SanctuarySubject, ListQuery, ListPage<Accessory>> {
        PortCall(
            call.name,
            get: { subject in { _ in ListPage(items: try await call(subject, ()), next: nil) } },
            replace: { subject, perform in
                call.replaced(in: subject) { _, _ in try await perform(ListQuery(limit: .max)).items }
            }
        )
    }

    private static func list<Port, Item>(
        _ operation: PortOperation<Port, PageRequest, Page<Item>>,
        at place: PortPlace<SanctuarySubject, Port>
    ) -> PortCall<SanctuarySubject, ListQuery, ListPage<Item>> {
        PortCall(
            operation.name,
            get: { subject in
                { ListPage(try await operation(subject[keyPath: place.path], PageRequest($0))) }
            },
            replace: { subject, perform in
                place.replacing(operation, in: subject) { _, request in Page(try await perform(ListQuery(request))) }
            }
        )
    }
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
