import SanctuaryDomain

// Ports that do what another one does, but for the calls that a mutant replaces. A replacement gets the clean port.

struct MutatedCatalogue: Catalogue {
    typealias Animals = @Sendable (any Catalogue, AnimalsRequest) async throws -> Page<Animal>
    typealias One = @Sendable (any Catalogue, AnimalID) async throws -> Animal

    let clean: any Catalogue
    var animals: Animals?
    var animal: One?

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        if let animals { try await animals(clean, request) } else { try await clean.animals(request) }
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        if let animal { try await animal(clean, id) } else { try await clean.animal(id) }
    }
}

struct MutatedOrders: Orders {
    typealias List = @Sendable (any Orders, PageRequest) async throws -> Page<Order>
    typealias One = @Sendable (any Orders, OrderID) async throws -> Order
    typealias Place = @Sendable (any Orders, OrderDraft) async throws -> Order

    let clean: any Orders
    var orders: List?
    var order: One?
    var place: Place?

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        if let orders { try await orders(clean, request) } else { try await clean.orders(request) }
    }

    func order(_ id: OrderID) async throws -> Order {
        if let order { try await order(clean, id) } else { try await clean.order(id) }
    }

    func place(_ draft: OrderDraft) async throws -> Order {
        if let place { try await place(clean, draft) } else { try await clean.place(draft) }
    }
}

struct MutatedMessages: Messages {
    let clean: any Messages
    var change:
        @Sendable (any AsyncSequence<MessageEvent, any Error> & Sendable) ->
            any AsyncSequence<MessageEvent, any Error> & Sendable

    func messages(_ request: PageRequest) async throws -> Page<Message> { try await clean.messages(request) }
    func send(_ draft: MessageDraft) async throws -> Message { try await clean.send(draft) }
    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable { change(clean.events()) }
}

struct MutatedAccessories: Accessories {
    let clean: any Accessories
    var change:
        @Sendable (any AsyncSequence<AccessoryEvent, any Error> & Sendable) ->
            any AsyncSequence<AccessoryEvent, any Error> & Sendable

    func accessories() async throws -> [Accessory] { try await clean.accessories() }
    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable { change(clean.events()) }
    func activate(_ id: AccessoryID) async throws { try await clean.activate(id) }
    func release(_ id: AccessoryID) async throws { try await clean.release(id) }
    func scan() async throws -> [Accessory] { try await clean.scan() }
    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await clean.perform(command, on: id)
    }
    func nicknames() async throws -> [AccessoryID: String] { try await clean.nicknames() }
    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        try await clean.setNickname(nickname, of: id)
    }
}

struct MutatedAccounts: Accounts {
    let clean: any Accounts
    var change: @Sendable (Credentials) -> Credentials

    func state() async throws -> AccountState { try await clean.state() }
    func signIn(_ credentials: Credentials) async throws -> Account { try await clean.signIn(change(credentials)) }
    func signOut() async throws { try await clean.signOut() }
}

extension SanctuarySubject {
    func replacingAnimals(by animals: @escaping MutatedCatalogue.Animals) -> SanctuarySubject {
        var subject = self
        subject.services.catalogue = MutatedCatalogue(clean: services.catalogue, animals: animals)
        return subject
    }

    func replacingAnimal(by animal: @escaping MutatedCatalogue.One) -> SanctuarySubject {
        var subject = self
        subject.services.catalogue = MutatedCatalogue(clean: services.catalogue, animal: animal)
        return subject
    }

    func replacingOrders(by orders: @escaping MutatedOrders.List) -> SanctuarySubject {
        var subject = self
        subject.services.orders = MutatedOrders(clean: services.orders, orders: orders)
        return subject
    }

    func replacingOrder(by order: @escaping MutatedOrders.One) -> SanctuarySubject {
        var subject = self
        subject.services.orders = MutatedOrders(clean: services.orders, order: order)
        return subject
    }
}

extension SanctuaryError {
    /// Whether the error is the port's, of that code.
    static func isCode(_ code: Code, _ error: any Error) -> Bool { (error as? SanctuaryError)?.code == code }
}

extension Animal {
    /// What a careless adapter makes up.
    static func madeUp(_ id: AnimalID) -> Animal {
        Animal(id: id, name: "", displayName: "", group: .other, legs: .unknown, heads: .unknown)
    }
}
