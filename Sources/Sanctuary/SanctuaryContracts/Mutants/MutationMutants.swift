import CofferdamContracts
import SanctuaryDomain

enum MutationMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("MUT-01", "shows an order only from the second look on") { subject, effect in
            let seen = Seen<OrderID>()
            return subject.replacingOrder { orders, id in
                let order = try await orders.order(id)
                if seen.isNew(id) {
                    effect.occurred()
                    throw SanctuaryError(.notFound, "not visible yet", subject: id.rawValue)
                }
                return order
            }
        },
        Mutant("MUT-01", "lists an order only from the second look on") { subject, effect in
            let seen = Seen<OrderID>()
            return subject.replacingOrders { orders, request in
                var page = try await orders.orders(request)
                let count = page.items.count
                page.items.removeAll { seen.isNew($0.id) }
                if page.items.count < count { effect.occurred() }
                return page
            }
        },
    ]
}
