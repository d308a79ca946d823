import CofferdamTool
import CofferdamUpgrade
import SanctuaryDomain

/// The ports that the rehearsal's traffic uses, with a scenario's faults before them.
func faultyServices(_ clean: SanctuaryServices, _ faults: FaultInjector) -> SanctuaryServices {
    var services = clean
    services.catalogue = FaultyCatalogue(clean: clean.catalogue, faults: faults)
    services.photos = FaultyPhotos(clean: clean.photos, faults: faults)
    services.orders = FaultyOrders(clean: clean.orders, faults: faults)
    services.messages = FaultyMessages(clean: clean.messages, faults: faults)
    return services
}

private struct FaultyCatalogue: Catalogue {
    let clean: any Catalogue
    let faults: FaultInjector

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        try await faults.call(.read, spoil: { $0.items = $0.items.dropLast() }) { try await clean.animals(request) }
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        try await faults.call(.read, spoil: { $0.displayName += "." }) { try await clean.animal(id) }
    }
}

private struct FaultyPhotos: Photos {
    let clean: any Photos
    let faults: FaultInjector

    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        try await faults.call(.read) { try await clean.photo(of: id, progress: progress) }
    }
}

private struct FaultyOrders: Orders {
    let clean: any Orders
    let faults: FaultInjector

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try await faults.call(.read) { try await clean.orders(request) }
    }

    func order(_ id: OrderID) async throws -> Order {
        try await faults.call(.read, spoil: { $0.status = .cancelled }) { try await clean.order(id) }
    }

    func place(_ draft: OrderDraft) async throws -> Order {
        try await faults.call(.write) { try await clean.place(draft) }
    }
}

private struct FaultyMessages: Messages {
    let clean: any Messages
    let faults: FaultInjector

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        try await faults.call(.read) { try await clean.messages(request) }
    }

    func send(_ draft: MessageDraft) async throws -> Message {
        try await faults.call(.write) { try await clean.send(draft) }
    }

    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable {
        faults.stream { clean.events() }
    }
}
