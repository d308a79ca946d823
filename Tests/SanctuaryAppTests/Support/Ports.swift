import Cofferdam
import CofferdamStore
import SanctuaryApp
import SanctuaryDomain

/// Ports made of closures. Each test sets those that it needs; the others fail with their name.
struct Ports: Sendable {
    var animals: @Sendable (PageRequest) async throws -> Page<Animal> = { _ in throw Unexpected(call: "animals") }
    var animal: @Sendable (AnimalID) async throws -> Animal = { _ in throw Unexpected(call: "animal") }
    var photo: @Sendable (AnimalID) async throws -> Photo = { _ in throw Unexpected(call: "photo") }
    /// The progress reported before a picture is complete.
    var photoProgress: [PhotoProgress] = []
    var accessories: @Sendable () async throws -> [Accessory] = { throw Unexpected(call: "accessories") }
    var perform: @Sendable (AccessoryCommand, AccessoryID) async throws -> Void = { _, _ in
        throw Unexpected(call: "perform")
    }
    var accessoryEvents: @Sendable () -> [Result<AccessoryEvent, any Error>] = { [] }
    var orders: @Sendable (PageRequest) async throws -> Page<Order> = { _ in throw Unexpected(call: "orders") }
    var order: @Sendable (OrderID) async throws -> Order = { _ in throw Unexpected(call: "order") }
    var place: @Sendable (OrderDraft) async throws -> Order = { _ in throw Unexpected(call: "place") }
    var messages: @Sendable (PageRequest) async throws -> Page<Message> = { _ in throw Unexpected(call: "messages") }
    var send: @Sendable (MessageDraft) async throws -> Message = { _ in throw Unexpected(call: "send") }
    var messageEvents: @Sendable () -> [Result<MessageEvent, any Error>] = { [] }
    /// Events that arrive during an iteration, instead of fixed ones.
    var liveMessageEvents: EventBuffer<MessageEvent>?
    var account: @Sendable () async throws -> AccountState = { throw Unexpected(call: "account") }
    var signIn: @Sendable (Credentials) async throws -> Account = { _ in throw Unexpected(call: "signIn") }

    var signOut: @Sendable () async throws -> Void = { throw Unexpected(call: "signOut") }

    struct Unexpected: Error { var call: String }

    func features(
        storage: ListStorage? = nil,
        limits: WalkLimits = WalkLimits(),
        makeKey: @escaping @Sendable () -> String = { "key" }
    ) -> Features {
        Features(
            services: SanctuaryServices(
                backing: "the test",
                capabilities: [],
                catalogue: CataloguePort(ports: self),
                photos: PhotosPort(ports: self),
                accessories: AccessoriesPort(ports: self),
                orders: OrdersPort(ports: self),
                messages: MessagesPort(ports: self),
                accounts: AccountsPort(ports: self),
                close: {}
            ),
            storage: storage,
            limits: limits,
            now: { Instant(millisecondsSince1970: 0) },
            makeKey: makeKey
        )
    }
}

private struct CataloguePort: Catalogue {
    let ports: Ports
    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> { try await ports.animals(request.page) }
    func animal(_ id: AnimalID) async throws -> Animal { try await ports.animal(id) }
}

private struct PhotosPort: Photos {
    let ports: Ports
    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        for value in ports.photoProgress { progress(value) }
        return try await ports.photo(id)
    }
}

private struct AccessoriesPort: Accessories {
    let ports: Ports
    func accessories() async throws -> [Accessory] { try await ports.accessories() }
    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable { stream(ports.accessoryEvents()) }
    func activate(_ id: AccessoryID) async throws { throw Ports.Unexpected(call: "activate") }
    func release(_ id: AccessoryID) async throws { throw Ports.Unexpected(call: "release") }
    func scan() async throws -> [Accessory] { throw Ports.Unexpected(call: "scan") }
    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await ports.perform(command, id)
    }
    func nicknames() async throws -> [AccessoryID: String] { throw Ports.Unexpected(call: "nicknames") }
    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        throw Ports.Unexpected(call: "setNickname")
    }
}

private struct OrdersPort: Orders {
    let ports: Ports
    func orders(_ request: PageRequest) async throws -> Page<Order> { try await ports.orders(request) }
    func order(_ id: OrderID) async throws -> Order { try await ports.order(id) }
    func place(_ draft: OrderDraft) async throws -> Order { try await ports.place(draft) }
}

private struct MessagesPort: Messages {
    let ports: Ports
    func messages(_ request: PageRequest) async throws -> Page<Message> { try await ports.messages(request) }
    func send(_ draft: MessageDraft) async throws -> Message { try await ports.send(draft) }
    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable {
        ports.liveMessageEvents?.events ?? stream(ports.messageEvents())
    }
}

private struct AccountsPort: Accounts {
    let ports: Ports
    func state() async throws -> AccountState { try await ports.account() }
    func signIn(_ credentials: Credentials) async throws -> Account { try await ports.signIn(credentials) }
    func signOut() async throws { try await ports.signOut() }
}

/// The events in order, and then their end or error.
private func stream<Event: Sendable>(_ events: [Result<Event, any Error>]) -> EventStream<Event> {
    let buffer = EventBuffer<Event>()
    let stream = buffer.events
    for event in events {
        switch event {
        case .success(let event): buffer.send(event, overflow: { Ports.Unexpected(call: "overflow") })
        case .failure(let error): buffer.finish(throwing: error)
        }
    }
    buffer.finish()
    return stream
}

/// A list in pages of two, with an empty page in its middle.
@Sendable func pages<Item: Sendable>(_ items: [Item]) -> @Sendable (PageRequest) async throws -> Page<Item> {
    { request in
        let start = request.cursor.flatMap { Int($0.rawValue.dropFirst()) } ?? 0
        if request.cursor == nil { return Page(items: [], next: Cursor("+0")) }
        let end = min(start + 2, items.count)
        return Page(items: Array(items[start..<end]), next: end < items.count ? Cursor("+\(end)") : nil)
    }
}

final class Counter: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }
    func add() { state.withLock { $0 += 1 } }
}
