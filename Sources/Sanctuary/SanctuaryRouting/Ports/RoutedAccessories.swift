import CofferdamUpgrade
import SanctuaryDomain

/// A radio belongs to one SDK at a time: every call is exclusive, those that only look too.
struct RoutedAccessories: Accessories {
    let route: Route<any Accessories>

    func accessories() async throws -> [Accessory] {
        try await route.exclusive("accessories", ()) { port, _ in try await port.accessories() }
    }

    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable {
        route.stream("accessory events", .exclusive, moving: .accessories) { $0.events() }
    }

    func scan() async throws -> [Accessory] {
        try await route.exclusive("scan", ()) { port, _ in try await port.scan() }
    }

    func activate(_ id: AccessoryID) async throws {
        try await route.exclusive("activate", id) { try await $0.activate($1) }
    }

    func release(_ id: AccessoryID) async throws {
        try await route.exclusive("release", id) { try await $0.release($1) }
    }

    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await route.exclusive("perform", (command, id)) { try await $0.perform($1.0, on: $1.1) }
    }

    func nicknames() async throws -> [AccessoryID: String] {
        try await route.exclusive("nicknames", ()) { port, _ in try await port.nicknames() }
    }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        try await route.exclusive("setNickname", (nickname, id)) { try await $0.setNickname($1.0, of: $1.1) }
    }
}
