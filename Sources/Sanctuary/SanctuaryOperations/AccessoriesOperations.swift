public import Cofferdam  // operations are the kit's values
public import SanctuaryDomain  // of the domain's ports

/// The operations of ``Accessories``. A radio belongs to one SDK at a time: every operation is exclusive, even those
/// that only read.
public enum AccessoriesOperations {
    public static let accessories = PortOperation<any Accessories, Void, [Accessory]>("accessories", .exclusive) {
        try await $0.accessories()
    }
    .reading()
    .recorded(as: [AccessoryRecord].self)

    public static let events = StreamingOperation<any Accessories, Void, AccessoryEvent>("accessory events", .exclusive)
    {
        $0.events()
    }
    .handedOver(by: .accessories)
    .recorded(as: AccessoryEventRecord.self)

    public static let scan = PortOperation<any Accessories, Void, [Accessory]>("scan", .exclusive) {
        try await $0.scan()
    }
    .recorded(as: [AccessoryRecord].self)

    public static let activate = PortOperation<any Accessories, AccessoryID, Void>("activate", .exclusive) {
        try await $0.activate($1)
    }
    .recorded { ["id": $0.rawValue] }

    public static let release = PortOperation<any Accessories, AccessoryID, Void>("release", .exclusive) {
        try await $0.release($1)
    }
    .recorded { ["id": $0.rawValue] }

    public static let perform = PortOperation<any Accessories, (AccessoryCommand, AccessoryID), Void>(
        "perform",
        .exclusive
    ) {
        try await $0.perform($1.0, on: $1.1)
    }
    .recorded { ["command": $0.0.rawValue, "id": $0.1.rawValue] }

    public static let nicknames = PortOperation<any Accessories, Void, [AccessoryID: String]>("nicknames", .exclusive) {
        try await $0.nicknames()
    }
    .reading()
    .ofUser()
    .recorded(as: NicknamesRecord.self)

    public static let setNickname = PortOperation<any Accessories, (String?, AccessoryID), Void>(
        "setNickname",
        .exclusive
    ) {
        try await $0.setNickname($1.0, of: $1.1)
    }
    .ofUser()
    .recorded { ["nickname": $0.0, "id": $0.1.rawValue] }
}

extension Intercepted: Accessories where Port == any Accessories {
    public func accessories() async throws -> [Accessory] {
        try await call(AccessoriesOperations.accessories) { try await $0.accessories() }
    }

    public func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable {
        stream(AccessoriesOperations.events)
    }

    public func scan() async throws -> [Accessory] {
        try await call(AccessoriesOperations.scan) { try await $0.scan() }
    }

    public func activate(_ id: AccessoryID) async throws {
        try await call(AccessoriesOperations.activate, id) { try await $0.activate($1) }
    }

    public func release(_ id: AccessoryID) async throws {
        try await call(AccessoriesOperations.release, id) { try await $0.release($1) }
    }

    public func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await call(AccessoriesOperations.perform, (command, id)) { try await $0.perform($1.0, on: $1.1) }
    }

    public func nicknames() async throws -> [AccessoryID: String] {
        try await call(AccessoriesOperations.nicknames) { try await $0.nicknames() }
    }

    public func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        try await call(AccessoriesOperations.setNickname, (nickname, id)) { try await $0.setNickname($1.0, of: $1.1) }
    }
}
