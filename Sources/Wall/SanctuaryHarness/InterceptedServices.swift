public import SanctuaryDomain  // what is intercepted are the domain's services

/// Stands between a caller and one side's services, at each call.
public protocol CallInterceptor: Sendable {
    /// - Parameters:
    ///   - operation: the port's method: "animals", "place".
    ///   - body: makes the call.
    func call<Value: Sendable>(_ operation: String, _ body: () async throws -> Value) async throws -> Value
}

extension SanctuaryServices {
    /// The same services, with somebody between; streams and `close` are as they were.
    public func intercepted(by interceptor: any CallInterceptor) -> SanctuaryServices {
        var services = self
        services.catalogue = InterceptedCatalogue(port: catalogue, interceptor: interceptor)
        services.photos = InterceptedPhotos(port: photos, interceptor: interceptor)
        services.accessories = InterceptedAccessories(port: accessories, interceptor: interceptor)
        services.orders = InterceptedOrders(port: orders, interceptor: interceptor)
        services.messages = InterceptedMessages(port: messages, interceptor: interceptor)
        services.accounts = InterceptedAccounts(port: accounts, interceptor: interceptor)
        return services
    }
}

private struct InterceptedCatalogue: Catalogue {
    let port: any Catalogue
    let interceptor: any CallInterceptor

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        try await interceptor.call("animals") { try await port.animals(request) }
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        try await interceptor.call("animal") { try await port.animal(id) }
    }
}

private struct InterceptedPhotos: Photos {
    let port: any Photos
    let interceptor: any CallInterceptor

    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        try await interceptor.call("photo") { try await port.photo(of: id, progress: progress) }
    }
}

private struct InterceptedOrders: Orders {
    let port: any Orders
    let interceptor: any CallInterceptor

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try await interceptor.call("orders") { try await port.orders(request) }
    }

    func order(_ id: OrderID) async throws -> Order {
        try await interceptor.call("order") { try await port.order(id) }
    }

    func place(_ draft: OrderDraft) async throws -> Order {
        try await interceptor.call("place") { try await port.place(draft) }
    }
}

private struct InterceptedMessages: Messages {
    let port: any Messages
    let interceptor: any CallInterceptor

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        try await interceptor.call("messages") { try await port.messages(request) }
    }

    func send(_ draft: MessageDraft) async throws -> Message {
        try await interceptor.call("send") { try await port.send(draft) }
    }

    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable { port.events() }
}

private struct InterceptedAccessories: Accessories {
    let port: any Accessories
    let interceptor: any CallInterceptor

    func accessories() async throws -> [Accessory] {
        try await interceptor.call("accessories") { try await port.accessories() }
    }

    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable { port.events() }

    func scan() async throws -> [Accessory] { try await interceptor.call("scan") { try await port.scan() } }

    func activate(_ id: AccessoryID) async throws {
        try await interceptor.call("activate") { try await port.activate(id) }
    }

    func release(_ id: AccessoryID) async throws {
        try await interceptor.call("release") { try await port.release(id) }
    }

    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await interceptor.call("perform") { try await port.perform(command, on: id) }
    }

    func nicknames() async throws -> [AccessoryID: String] {
        try await interceptor.call("nicknames") { try await port.nicknames() }
    }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        try await interceptor.call("setNickname") { try await port.setNickname(nickname, of: id) }
    }
}

private struct InterceptedAccounts: Accounts {
    let port: any Accounts
    let interceptor: any CallInterceptor

    func state() async throws -> AccountState { try await interceptor.call("state") { try await port.state() } }

    func signIn(_ credentials: Credentials) async throws -> Account {
        try await interceptor.call("signIn") { try await port.signIn(credentials) }
    }

    func signOut() async throws { try await interceptor.call("signOut") { try await port.signOut() } }
}
