import CofferdamContracts
import SanctuaryDomain

/// A probe that forwards to another one, except for the calls that a mutant replaces.
struct MutatedProbe: SanctuaryProbe {
    let clean: any SanctuaryProbe
    var replacedFiles: (@Sendable () async throws -> Set<String>)?
    var strayFields: (@Sendable (SanctuaryOperation) async throws -> [String])?

    func reset(_ baseline: SanctuaryBaseline) async throws { try await clean.reset(baseline) }
    func seedAnimals(_ count: Int) async throws -> [Animal] { try await clean.seedAnimals(count) }
    func addAnimal(_ fixture: AnimalFixture) async throws -> AnimalID { try await clean.addAnimal(fixture) }
    func setPhoto(_ photo: Photo, of id: AnimalID) async throws { try await clean.setPhoto(photo, of: id) }
    func addUser(_ id: String, displayName: String, currency: String) async throws {
        try await clean.addUser(id, displayName: displayName, currency: currency)
    }
    func setNickname(_ nickname: String, of id: AccessoryID) async throws {
        try await clean.setNickname(nickname, of: id)
    }
    func expireCursors() async throws { try await clean.expireCursors() }
    func expireAccessTokens() async throws { try await clean.expireAccessTokens() }
    func clearFaults() async throws { try await clean.clearFaults() }
    func releaseHeld() async throws { try await clean.releaseHeld() }
    func calls(of operation: SanctuaryOperation) async throws -> Int { try await clean.calls(of: operation) }
    func callers(of operation: SanctuaryOperation) async throws -> [String] { try await clean.callers(of: operation) }
    func subscribers(of stream: SanctuaryStream) async throws -> Int { try await clean.subscribers(of: stream) }

    func postMessage(author: String, text: String, sentAt: Instant?) async throws -> Message {
        try await clean.postMessage(author: author, text: text, sentAt: sentAt)
    }

    func updateAccessory(
        _ id: AccessoryID,
        name: String,
        battery: Battery?,
        link: Accessory.Link?,
        lastSeen: Instant?
    ) async throws -> Accessory {
        try await clean.updateAccessory(id, name: name, battery: battery, link: link, lastSeen: lastSeen)
    }

    func removeAccessory(_ id: AccessoryID) async throws { try await clean.removeAccessory(id) }

    func inject(_ fault: VendorFault, on operation: SanctuaryOperation, times: Int) async throws {
        try await clean.inject(fault, on: operation, times: times)
    }

    func waitForCalls(of operation: SanctuaryOperation, atLeast count: Int) async throws {
        try await clean.waitForCalls(of: operation, atLeast: count)
    }

    func waitForSubscribers(of stream: SanctuaryStream, exactly count: Int) async throws {
        try await clean.waitForSubscribers(of: stream, exactly: count)
    }
}

extension MutatedProbe {
    func setGroup(_ group: String, of id: AnimalID) async throws { try await clean.setGroup(group, of: id) }
    func deleteMessage(_ id: MessageID) async throws { try await clean.deleteMessage(id) }
    func secrets() async throws -> [String] { try await clean.secrets() }
    func output() async throws -> [String] { try await clean.output() }
}
