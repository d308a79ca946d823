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
    func addOrder(_ lines: [OrderLine]) async throws -> Order { try await clean.addOrder(lines) }
    func seedMessages(_ count: Int) async throws -> [Message] { try await clean.seedMessages(count) }
    func requestedGroups() async throws -> [String] { try await clean.requestedGroups() }
    func photoTraffic() async throws -> (validators: Int, bytes: Int) { try await clean.photoTraffic() }

    func setPagingQuirk(_ quirk: PagingQuirk?, on operation: SanctuaryOperation) async throws {
        try await clean.setPagingQuirk(quirk, on: operation)
    }
}
