import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

extension FakeProbe {
    func makeOdd(_ record: SanctuaryRecord, _ oddity: PayloadOddity) async throws {
        world.update { $0.oddities[record] = oddity }
    }

    func addOrder(_ lines: [OrderLine]) async throws -> Order {
        let now = world.now()
        return world.update { state in
            let sequence = state.nextSequence()
            let order = Order(id: OrderID("o-\(sequence)"), status: .pending, lines: lines, placedAt: now)
            let kept = FakeOrder(order: order, user: "amara", key: "added-\(sequence)")
            state.orders.append(FakeRecord(sequence: sequence, value: kept))
            return order
        }
    }

    func seedMessages(_ count: Int) async throws -> [Message] {
        (0..<max(0, count)).map { world.post("message \($0)", by: "kenji") }
    }

    func setPagingQuirk(_ quirk: PagingQuirk?, on operation: SanctuaryOperation) async throws {
        world.update { $0.quirks[operation] = quirk }
    }

    /// Returns an empty set: the fake writes no files.
    func files() async throws -> Set<String> { [] }

    /// Returns an empty list: nothing but the ports' values reaches this vendor.
    func strayFields(of operation: SanctuaryOperation) async throws -> [String] { [] }

    func requestedGroups() async throws -> [String] { world.update { $0.requestedGroups } }

    func photoTraffic() async throws -> (validators: Int, bytes: Int) { world.update { $0.photoTraffic } }
}
