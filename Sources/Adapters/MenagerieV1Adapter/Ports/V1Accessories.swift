#if Sandbox
import Cofferdam
import MenagerieV1
import SanctuaryDomain

struct V1Accessories: Accessories {
    let vendor: Vendor

    func accessories() async throws -> [Accessory] {
        try await vendor.call { sdk, answer in
            sdk.accessoryCentral.fetchAccessories(completion: answer)
        } translate: { [vendor] accessories throws(SanctuaryError) in
            try vendor.translate(accessories, by: .accessory, "accessories").sorted()
        }
    }

    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable {
        let listener = AccessoryListener(vendor)
        listener.listen()
        return listener.buffer.events
    }

    func activate(_ id: AccessoryID) async throws {
        try check(id)
        try await vendor.call(of: id.rawValue) { sdk, answer in
            sdk.accessoryCentral.connect(id.rawValue, completion: answer)
        }
    }

    func release(_ id: AccessoryID) async throws {
        try check(id)
        try await vendor.call(of: id.rawValue) { sdk, answer in
            sdk.accessoryCentral.disconnect(id.rawValue, completion: answer)
        }
    }

    func scan() async throws -> [Accessory] {
        try await vendor.call { sdk, answer in
            sdk.accessoryCentral.scan(completion: answer)
        } translate: { [vendor] accessories throws(SanctuaryError) in
            try vendor.translate(accessories, by: .accessory, "accessories").sorted()
        }
    }

    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        try check(id)
        try await vendor.call(.changes, of: id.rawValue) { sdk, answer in
            sdk.accessoryCentral.send(command.rawValue, to: id.rawValue, completion: answer)
        }
    }

    func nicknames() async throws -> [AccessoryID: String] {
        try await vendor.call { sdk, answer in
            sdk.accessoryCentral.fetchAccessories(completion: answer)
        } translate: { accessories in
            accessories.reduce(into: [:]) { names, accessory in
                guard let nickname = accessory.nickname, !nickname.isEmpty else { return }
                names[AccessoryID(accessory.id)] = nickname
            }
        }
    }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        try check(id)
        try await vendor.call(of: id.rawValue) { sdk, answer in
            sdk.accessoryCentral.setNickname(nickname ?? "", for: id.rawValue, completion: answer)
        }
    }

    private func check(_ id: AccessoryID) throws {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        guard !["", ".", ".."].contains(id.rawValue) else {
            throw SanctuaryError(.notFound, "no accessory has such an id", subject: id.rawValue)
        }
    }
}

extension [Accessory] {
    func sorted() -> [Accessory] { sorted { $0.id.rawValue < $1.id.rawValue } }
}
#endif
