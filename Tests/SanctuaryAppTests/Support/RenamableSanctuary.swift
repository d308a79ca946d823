import Cofferdam
import CofferdamStore
import SanctuaryApp
import SanctuaryDomain
import SanctuaryFake

/// The in-memory sanctuary, whose vendor can rename animals and be unreachable, and a device on which the app can be
/// launched again.
final class RenamableSanctuary: Sendable {
    let cache = MemoryCache()
    let reports = Mutex<[String]>([])
    private let fake = FakeSanctuary()
    private let state = Mutex(State())

    private struct State {
        var names: [AnimalID: String] = [:]
        var isUnreachable = false
    }

    /// Launches the app.
    func start() -> Features {
        var services = fake.services
        services.catalogue = CataloguePort(sanctuary: self, port: services.catalogue)
        services.orders = OrdersPort(sanctuary: self, port: services.orders)
        services.messages = MessagesPort(sanctuary: self, port: services.messages)
        let storage = ListStorage(cache, timeSince1970: { .zero }) { error in
            self.reports.withLock { $0.append("\(error)") }
        }
        return Features(services: services, storage: storage)
    }

    /// Launches the app and signs in.
    func startSignedIn() async throws -> Features {
        let features = start()
        _ = try await features.account.signIn(user: "amara", password: "sandbox")
        return features
    }

    func id(of name: String) async throws -> AnimalID? {
        try await fake.services.catalogue.animals(AnimalsRequest()).items.first { $0.name == name }?.id
    }

    /// Renames an animal at the vendor.
    func rename(_ id: AnimalID, to name: String) { state.withLock { $0.names[id] = name } }

    func setUnreachable(_ isUnreachable: Bool = true) { state.withLock { $0.isUnreachable = isUnreachable } }

    fileprivate func answer<Value>(_ answer: () async throws -> Value) async throws -> Value {
        if state.withLock({ $0.isUnreachable }) { throw SanctuaryError(.unreachable, "no network") }
        return try await answer()
    }

    fileprivate func renamed(_ animal: Animal) -> Animal {
        guard let name = state.withLock({ $0.names[animal.id] }) else { return animal }
        var animal = animal
        (animal.name, animal.displayName) = (name, name)
        return animal
    }
}

private struct CataloguePort: Catalogue {
    let sanctuary: RenamableSanctuary
    let port: any Catalogue

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        var page = try await sanctuary.answer { try await port.animals(request) }
        page.items = page.items.map(sanctuary.renamed)
        return page
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        try await sanctuary.answer { sanctuary.renamed(try await port.animal(id)) }
    }
}

private struct OrdersPort: Orders {
    let sanctuary: RenamableSanctuary
    let port: any Orders

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try await sanctuary.answer { try await port.orders(request) }
    }
    func order(_ id: OrderID) async throws -> Order { try await sanctuary.answer { try await port.order(id) } }
    func place(_ draft: OrderDraft) async throws -> Order {
        try await sanctuary.answer { try await port.place(draft) }
    }
}

private struct MessagesPort: Messages {
    let sanctuary: RenamableSanctuary
    let port: any Messages

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        try await sanctuary.answer { try await port.messages(request) }
    }
    func send(_ draft: MessageDraft) async throws -> Message {
        try await sanctuary.answer { try await port.send(draft) }
    }
    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable { port.events() }
}
