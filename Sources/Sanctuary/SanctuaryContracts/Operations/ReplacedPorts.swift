import SanctuaryDomain

// Ports that do what another one does, but for the calls that stand here in its place.

struct ReplacedPhotos: Photos {
    var photo: @Sendable (AnimalID, @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo

    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        try await photo(id, progress)
    }
}

struct ReplacedMessages: Messages {
    let clean: any Messages
    var list: (@Sendable (PageRequest) async throws -> Page<Message>)?
    var send: (@Sendable (MessageDraft) async throws -> Message)?

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        if let list { try await list(request) } else { try await clean.messages(request) }
    }

    func send(_ draft: MessageDraft) async throws -> Message {
        if let send { try await send(draft) } else { try await clean.send(draft) }
    }

    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable { clean.events() }
}

struct ReplacedAccessories: Accessories {
    let clean: any Accessories
    var all: (@Sendable () async throws -> [Accessory])?
    var activate: (@Sendable (AccessoryID) async throws -> Void)?
    var nickname: (@Sendable (AccessoryID) async throws -> String?)?
    var forgetNickname: (@Sendable (AccessoryID) async throws -> Void)?

    func accessories() async throws -> [Accessory] {
        if let all { try await all() } else { try await clean.accessories() }
    }

    func activate(_ id: AccessoryID) async throws {
        if let activate { try await activate(id) } else { try await clean.activate(id) }
    }

    func nicknames() async throws -> [AccessoryID: String] {
        guard let nickname else { return try await clean.nicknames() }
        var nicknames: [AccessoryID: String] = [:]
        for accessory in try await clean.accessories() { nicknames[accessory.id] = try await nickname(accessory.id) }
        return nicknames
    }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        guard nickname == nil, let forgetNickname else { return try await clean.setNickname(nickname, of: id) }
        try await forgetNickname(id)
    }

    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable { clean.events() }
    func release(_ id: AccessoryID) async throws { try await clean.release(id) }
    func scan() async throws -> [Accessory] { try await clean.scan() }
    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await clean.perform(command, on: id)
    }
}
