import Cofferdam
import CofferdamContracts
import SanctuaryDomain

enum MutationMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("MUT-01", "shows an order only from the second look on") { subject, effect in
            let seen = Seen()
            return subject.replacingOrder { orders, id in
                let order = try await orders.order(id)
                if seen.isNew(id) {
                    effect.occurred()
                    throw SanctuaryError(.notFound, "not visible yet", subject: id.rawValue)
                }
                return order
            }
        }
    ]
}

private final class Seen: Sendable {
    private let ids = Mutex<Set<OrderID>>([])

    func isNew(_ id: OrderID) -> Bool { ids.withLock { $0.insert(id).inserted } }
}
