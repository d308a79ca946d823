import Cofferdam
import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

extension TapedProbe {
    func makeOdd(_ record: SanctuaryRecord, _ oddity: PayloadOddity) async throws {
        let arguments: TapeArguments = ["record": record.description, "oddity": oddity.description]
        try await port.call("probe.makeOdd", arguments) { try await $0.makeOdd(record, oddity) }
    }

    func addOrder(_ lines: [OrderLine], of user: String, status: OrderStatus, placedAt: Instant?) async throws -> Order
    {
        let arguments: TapeArguments = [
            "lines": lines.map { OrderLineRecord($0) }, "user": user, "status": status.description,
            "placedAt": placedAt?.millisecondsSince1970,
        ]
        return try await port.call("probe.addOrder", arguments, as: OrderRecord.self) {
            try await $0.addOrder(lines, of: user, status: status, placedAt: placedAt)
        }
    }

    func linesHeld(of order: OrderID) async throws -> [OrderLine] {
        try await port.call("probe.linesHeld", ["order": order.rawValue], kind: .read, as: [OrderLineRecord].self) {
            try await $0.linesHeld(of: order)
        }
    }

    func textHeld(of message: MessageID) async throws -> String {
        try await port.call("probe.textHeld", ["message": message.rawValue], kind: .read) {
            try await $0.textHeld(of: message)
        }
    }

    func contentsHeld(of operation: SanctuaryOperation, by user: String) async throws -> [String] {
        try await port.call("probe.contentsHeld", ["operation": operation.rawValue, "user": user], kind: .read) {
            try await $0.contentsHeld(of: operation, by: user)
        }
    }

    func nicknameHeld(of id: AccessoryID) async throws -> String {
        try await port.call("probe.nicknameHeld", ["accessory": id.rawValue], kind: .read) {
            try await $0.nicknameHeld(of: id)
        }
    }

    func seedMessages(_ count: Int) async throws -> [Message] {
        try await port.call("probe.seedMessages", ["count": count], as: [MessageRecord].self) {
            try await $0.seedMessages(count)
        }
    }

    func setPagingQuirk(_ quirk: PagingQuirk?, on operation: SanctuaryOperation) async throws {
        let arguments: TapeArguments = ["quirk": quirk?.rawValue, "operation": operation.rawValue]
        try await port.call("probe.setPagingQuirk", arguments) { try await $0.setPagingQuirk(quirk, on: operation) }
    }

    func strayFields(of operation: SanctuaryOperation) async throws -> [String] {
        try await port.call("probe.strayFields", ["operation": operation.rawValue], kind: .read) {
            try await $0.strayFields(of: operation)
        }
    }

    func files() async throws -> Set<String> {
        Set(try await port.call("probe.files", kind: .read) { try await $0.files().sorted() })
    }

    func requestedGroups() async throws -> [String] {
        try await port.call("probe.requestedGroups", kind: .read) { try await $0.requestedGroups() }
    }

    func photoTraffic() async throws -> (validators: Int, bytes: Int) {
        let traffic = try await port.call("probe.photoTraffic", kind: .read) {
            let (validators, bytes) = try await $0.photoTraffic()
            return ["validators": validators, "bytes": bytes]
        }
        return (traffic["validators"] ?? 0, traffic["bytes"] ?? 0)
    }

    func setGroup(_ group: String, of id: AnimalID) async throws {
        try await port.call("probe.setGroup", ["group": group, "id": id.rawValue]) {
            try await $0.setGroup(group, of: id)
        }
    }

    func deleteMessage(_ id: MessageID) async throws {
        try await port.call("probe.deleteMessage", ["id": id.rawValue]) { try await $0.deleteMessage(id) }
    }

    /// Secrets are never on a tape, so a replay does not know them.
    func secrets() async throws -> [String] {
        let secrets = try await port.call("probe.secrets", kind: .read) { try await $0.secrets() }
        guard port.isRecording else { throw UnmetRequirements(harnessCapabilities: [.knownSecrets]) }
        return secrets
    }

    func output() async throws -> [String] {
        try await port.call("probe.output", kind: .read) { try await $0.output() }
    }
}
