import Cofferdam
import CofferdamContracts
import SanctuaryDomain

struct TapedCatalogue: Catalogue {
    let port: TapedPort<SanctuaryServices>

    func animals(_ request: AnimalsRequest) async throws -> Page<Animal> {
        try await port.call("catalogue.animals", request.taped, kind: .read, as: PageRecord<AnimalRecord>.self) {
            try await $0.catalogue.animals(request)
        }
    }

    func animal(_ id: AnimalID) async throws -> Animal {
        try await port.call("catalogue.animal", ["id": id.rawValue], kind: .read, as: AnimalRecord.self) {
            try await $0.catalogue.animal(id)
        }
    }
}

struct TapedPhotos: Photos {
    let port: TapedPort<SanctuaryServices>

    /// How far it was is on no tape: played, there is the last word alone.
    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        let transfer = Mutex(PhotoTransfer(progress))
        defer { transfer.withLock { $0.end() } }
        let photo = try await port.call("photos.photo", ["id": id.rawValue], kind: .read, as: PhotoRecord.self) {
            try await $0.photos.photo(of: id) { told in
                transfer.withLock { $0.received(told.completed, of: told.total) }
            }
        }
        transfer.withLock { $0.finish(with: photo) }
        return photo
    }
}

struct TapedAccessories: Accessories {
    let port: TapedPort<SanctuaryServices>

    func accessories() async throws -> [Accessory] {
        try await port.call("accessories.accessories", kind: .read, as: [AccessoryRecord].self) {
            try await $0.accessories.accessories()
        }
    }

    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable {
        port.stream("accessories.events", as: AccessoryEventRecord.self) { $0.accessories.events() }
    }

    func scan() async throws -> [Accessory] {
        try await port.call("accessories.scan", as: [AccessoryRecord].self) { try await $0.accessories.scan() }
    }

    func activate(_ id: AccessoryID) async throws {
        try await port.call("accessories.activate", ["id": id.rawValue]) { try await $0.accessories.activate(id) }
    }

    func release(_ id: AccessoryID) async throws {
        try await port.call("accessories.release", ["id": id.rawValue]) { try await $0.accessories.release(id) }
    }

    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await port.call("accessories.perform", ["command": command.rawValue, "id": id.rawValue]) {
            try await $0.accessories.perform(command, on: id)
        }
    }

    func nicknames() async throws -> [AccessoryID: String] {
        try await port.call("accessories.nicknames", kind: .read, as: NicknamesRecord.self) {
            try await $0.accessories.nicknames()
        }
    }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        try await port.call("accessories.setNickname", ["nickname": nickname, "id": id.rawValue]) {
            try await $0.accessories.setNickname(nickname, of: id)
        }
    }
}

struct TapedOrders: Orders {
    let port: TapedPort<SanctuaryServices>

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try await port.call("orders.orders", request.taped, kind: .read, as: PageRecord<OrderRecord>.self) {
            try await $0.orders.orders(request)
        }
    }

    func order(_ id: OrderID) async throws -> Order {
        try await port.call("orders.order", ["id": id.rawValue], kind: .read, as: OrderRecord.self) {
            try await $0.orders.order(id)
        }
    }

    func place(_ draft: OrderDraft) async throws -> Order {
        let lines = draft.lines.map { OrderLineRecord($0) }
        return try await port.call("orders.place", ["lines": lines, "key": draft.key], as: OrderRecord.self) {
            try await $0.orders.place(draft)
        }
    }
}

struct TapedMessages: Messages {
    let port: TapedPort<SanctuaryServices>

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        try await port.call("messages.messages", request.taped, kind: .read, as: PageRecord<MessageRecord>.self) {
            try await $0.messages.messages(request)
        }
    }

    func send(_ draft: MessageDraft) async throws -> Message {
        try await port.call("messages.send", ["text": draft.text, "key": draft.key], as: MessageRecord.self) {
            try await $0.messages.send(draft)
        }
    }

    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable {
        port.stream("messages.events", as: MessageEventRecord.self) { $0.messages.events() }
    }
}

struct TapedAccounts: Accounts {
    let port: TapedPort<SanctuaryServices>

    func state() async throws -> AccountState {
        try await port.call("accounts.state", kind: .read, as: AccountStateRecord.self) {
            try await $0.accounts.state()
        }
    }

    func signIn(_ credentials: Credentials) async throws -> Account {
        let arguments: TapeArguments = ["user": credentials.user, "password": credentials.password]
        return try await port.call("accounts.signIn", arguments, as: AccountRecord.self) {
            try await $0.accounts.signIn(credentials)
        }
    }

    func signOut() async throws { try await port.call("accounts.signOut") { try await $0.accounts.signOut() } }
}

extension PageRequest {
    fileprivate var taped: TapeArguments { ["cursor": cursor?.rawValue, "limit": limit] }
}

extension AnimalsRequest {
    fileprivate var taped: TapeArguments {
        ["cursor": page.cursor?.rawValue, "group": group?.description, "limit": page.limit]
    }
}
