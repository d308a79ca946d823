import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

struct FakeAccessories: Accessories {
    let session: FakeSession

    func accessories() async throws -> [Accessory] {
        let accessories = try await session.call(.accessories) { world in
            try world.update { state throws(SanctuaryError) in try readEach(state.sortedAccessories, state.read) }
        }
        for (index, accessory) in accessories.enumerated() {
            session.issues.report(accessory.issues(at: "items[\(index)]."), of: "accessories")
        }
        return accessories
    }

    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable {
        session.events(of: .accessories) { session, buffer in
            try await session.call(.accessoryEvents) { world in world.subscribe(buffer, from: session.instance) }
        }
    }

    func activate(_ id: AccessoryID) async throws {
        try await change(.activate, id) { accessory, state in
            guard accessory.link != .active else { return [] }
            let others = state.sortedAccessories.filter { $0.link == .active && $0.id != id }
            return others.map { $0.linked(.linked) } + [accessory.linked(.active)]
        }
    }

    func release(_ id: AccessoryID) async throws {
        try await change(.release, id) { accessory, _ in
            accessory.link == .available ? [] : [accessory.linked(.available)]
        }
    }

    func scan() async throws -> [Accessory] { try await accessories() }

    /// Only records the command: the fake's accessories do nothing.
    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try await session.call(.perform) { world in
            guard let accessory = world.update({ $0.accessories[id] }) else {
                throw SanctuaryError(.notFound, "no such accessory", subject: id.rawValue)
            }
            guard accessory.link == .active else {
                throw SanctuaryError(.conflict, "the accessory is not active", subject: id.rawValue)
            }
        }
    }

    func nicknames() async throws -> [AccessoryID: String] {
        try await session.call(.accessories) { world in world.update { $0.nicknames } }
    }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        try await session.call(.nickname) { world in
            try world.update { state throws(SanctuaryError) in
                try state.setNickname(nickname ?? "", of: id)
            }
        }
    }

    /// - Parameter body: returns the accessories that change, in order of notification.
    private func change(
        _ operation: SanctuaryOperation,
        _ id: AccessoryID,
        _ body: @escaping @Sendable (Accessory, FakeState) -> [Accessory]
    ) async throws {
        try await session.call(operation) { world in
            try world.publish(accessories: { state throws(SanctuaryError) in
                guard let accessory = state.accessories[id] else {
                    throw SanctuaryError(.notFound, "no such accessory", subject: id.rawValue)
                }
                let changed = body(accessory, state)
                for accessory in changed { state.accessories[accessory.id] = accessory }
                return ((), changed.map { .changed($0) })
            })
        }
    }
}

extension Accessory {
    fileprivate func linked(_ link: Link) -> Accessory {
        var accessory = self
        accessory.link = link
        return accessory
    }
}

extension Accessory {
    /// What cannot be shown as the vendor holds it.
    func issues(at path: String) -> [TranslationIssue] {
        battery == nil
            ? [TranslationIssue("not a percentage", at: path + "battery", raw: "101", severity: .warning)] : []
    }
}

extension FakeState {
    /// Sets an accessory's nickname; an empty one removes it.
    mutating func setNickname(_ nickname: String, of id: AccessoryID) throws(SanctuaryError) {
        guard accessories[id] != nil else {
            throw SanctuaryError(.notFound, "no such accessory", subject: id.rawValue)
        }
        nicknames[id] = nickname.isEmpty ? nil : nickname
    }
}
