import Cofferdam
import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A probe that records its calls and results on a tape or replays them, so that a rule finds the same seeds and
/// evidence without the vendor.
struct TapedProbe: SanctuaryProbe {
    let port: TapedPort<any SanctuaryProbe>

    // MARK: Setup

    func reset(_ baseline: SanctuaryBaseline) async throws {
        try await port.call("probe.reset", ["baseline": baseline.rawValue]) { try await $0.reset(baseline) }
    }

    func seedAnimals(_ count: Int) async throws -> [Animal] {
        try await port.call("probe.seedAnimals", ["count": count], as: [AnimalRecord].self) {
            try await $0.seedAnimals(count)
        }
    }

    func addAnimal(_ fixture: AnimalFixture) async throws -> AnimalID {
        let arguments: TapeArguments = [
            "name": fixture.name, "group": fixture.group, "legs": fixture.legs, "heads": fixture.heads,
        ]
        return AnimalID(
            try await port.call("probe.addAnimal", arguments) { try await $0.addAnimal(fixture).rawValue }
        )
    }

    func setPhoto(_ photo: Photo, of id: AnimalID) async throws {
        let arguments: TapeArguments = [
            "bytes": Data(photo.bytes), "mediaType": photo.mediaType, "id": id.rawValue,
        ]
        try await port.call("probe.setPhoto", arguments) { try await $0.setPhoto(photo, of: id) }
    }

    func addUser(_ id: String, displayName: String, currency: String) async throws {
        let arguments: TapeArguments = ["id": id, "displayName": displayName, "currency": currency]
        try await port.call("probe.addUser", arguments) {
            try await $0.addUser(id, displayName: displayName, currency: currency)
        }
    }

    func setNickname(_ nickname: String, of id: AccessoryID) async throws {
        try await port.call("probe.setNickname", ["nickname": nickname, "id": id.rawValue]) {
            try await $0.setNickname(nickname, of: id)
        }
    }

    func postMessage(author: String, text: String, sentAt: Instant?) async throws -> Message {
        let arguments: TapeArguments = [
            "author": author, "text": text, "sentAt": sentAt?.millisecondsSince1970,
        ]
        return try await port.call("probe.postMessage", arguments, as: MessageRecord.self) {
            try await $0.postMessage(author: author, text: text, sentAt: sentAt)
        }
    }

    func updateAccessory(
        _ id: AccessoryID,
        name: String,
        battery: Battery?,
        link: Accessory.Link?,
        lastSeen: Instant?
    ) async throws -> Accessory {
        let arguments: TapeArguments = [
            "id": id.rawValue, "name": name, "battery": battery?.percent, "link": link?.rawValue,
            "lastSeen": lastSeen?.millisecondsSince1970,
        ]
        return try await port.call("probe.updateAccessory", arguments, as: AccessoryRecord.self) {
            try await $0.updateAccessory(id, name: name, battery: battery, link: link, lastSeen: lastSeen)
        }
    }

    func removeAccessory(_ id: AccessoryID) async throws {
        try await port.call("probe.removeAccessory", ["id": id.rawValue]) { try await $0.removeAccessory(id) }
    }

    // MARK: Faults

    func expireCursors() async throws { try await port.call("probe.expireCursors") { try await $0.expireCursors() } }

    func expireAccessTokens() async throws {
        try await port.call("probe.expireAccessTokens") { try await $0.expireAccessTokens() }
    }

    func inject(_ fault: VendorFault, on operation: SanctuaryOperation, times: Int) async throws {
        let arguments: TapeArguments = ["fault": fault.description, "operation": operation.rawValue, "times": times]
        try await port.call("probe.inject", arguments) { try await $0.inject(fault, on: operation, times: times) }
    }

    func revokeSessions() async throws { try await port.call("probe.revokeSessions") { try await $0.revokeSessions() } }

    func setCallbackQuirk(_ quirk: CallbackQuirk?) async throws {
        try await port.call("probe.setCallbackQuirk", ["quirk": quirk?.rawValue ?? "none"]) {
            try await $0.setCallbackQuirk(quirk)
        }
    }

    func simulate(_ incident: StreamIncident, on stream: SanctuaryStream) async throws {
        try await port.call("probe.befall", ["stream": stream.rawValue, "incident": incident.rawValue]) {
            try await $0.simulate(incident, on: stream)
        }
    }

    func clearFaults() async throws { try await port.call("probe.clearFaults") { try await $0.clearFaults() } }

    func releaseHeld() async throws { try await port.call("probe.releaseHeld") { try await $0.releaseHeld() } }

    func waitForHeld(exactly count: Int) async throws {
        try await port.call("probe.waitForHeld", ["count": count], kind: .read) {
            try await $0.waitForHeld(exactly: count)
        }
    }

    // MARK: Evidence

    func calls(of operation: SanctuaryOperation) async throws -> Int {
        try await port.call("probe.calls", ["operation": operation.rawValue], kind: .read) {
            try await $0.calls(of: operation)
        }
    }

    func callers(of operation: SanctuaryOperation) async throws -> [String] {
        try await port.call("probe.callers", ["operation": operation.rawValue], kind: .read) {
            try await $0.callers(of: operation)
        }
    }

    func waitForCalls(of operation: SanctuaryOperation, atLeast count: Int) async throws {
        try await port.call("probe.waitForCalls", ["operation": operation.rawValue, "count": count], kind: .read) {
            try await $0.waitForCalls(of: operation, atLeast: count)
        }
    }

    func waitForDrops(of stream: SanctuaryStream, atLeast count: Int) async throws {
        try await port.call("probe.waitForDrops", ["stream": stream.rawValue, "count": count], kind: .read) {
            try await $0.waitForDrops(of: stream, atLeast: count)
        }
    }

    func subscribers(of stream: SanctuaryStream) async throws -> Int {
        try await port.call("probe.subscribers", ["stream": stream.rawValue], kind: .read) {
            try await $0.subscribers(of: stream)
        }
    }

    func waitForSubscribers(of stream: SanctuaryStream, exactly count: Int) async throws {
        try await port.call("probe.waitForSubscribers", ["stream": stream.rawValue, "count": count], kind: .read) {
            try await $0.waitForSubscribers(of: stream, exactly: count)
        }
    }
}
