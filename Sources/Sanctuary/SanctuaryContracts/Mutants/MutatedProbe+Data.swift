import CofferdamContracts
import SanctuaryDomain

extension MutatedProbe {
    func makeOdd(_ record: SanctuaryRecord, _ oddity: PayloadOddity) async throws {
        try await clean.makeOdd(record, oddity)
    }

    func strayFields(of operation: SanctuaryOperation) async throws -> [String] {
        if let strayFields { try await strayFields(operation) } else { try await clean.strayFields(of: operation) }
    }

    func files() async throws -> Set<String> {
        if let replacedFiles { try await replacedFiles() } else { try await clean.files() }
    }
    func linesHeld(of order: OrderID) async throws -> [OrderLine] { try await clean.linesHeld(of: order) }
    func textHeld(of message: MessageID) async throws -> String { try await clean.textHeld(of: message) }
    func contentsHeld(of operation: SanctuaryOperation, by user: String) async throws -> [String] {
        try await clean.contentsHeld(of: operation, by: user)
    }

    func nicknameHeld(of id: AccessoryID) async throws -> String { try await clean.nicknameHeld(of: id) }
    func seedMessages(_ count: Int) async throws -> [Message] { try await clean.seedMessages(count) }
    func requestedGroups() async throws -> [String] { try await clean.requestedGroups() }
    func photoTraffic() async throws -> (validators: Int, bytes: Int) { try await clean.photoTraffic() }

    func addOrder(_ lines: [OrderLine], of user: String, status: OrderStatus, placedAt: Instant?) async throws -> Order
    {
        try await clean.addOrder(lines, of: user, status: status, placedAt: placedAt)
    }

    func setPagingQuirk(_ quirk: PagingQuirk?, on operation: SanctuaryOperation) async throws {
        try await clean.setPagingQuirk(quirk, on: operation)
    }
}
