import SanctuaryContracts
import SanctuaryDomain

struct FakeOrders: Orders {
    let session: FakeSession

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try await session.call(signedIn: .orders) { world, user in
            try world.update { state throws(SanctuaryError) in
                let own = state.orders.filter { $0.value.user == user.account.id }
                let page = try state.page(request, of: "orders:\(user.account.id)", own)
                return Page(items: page.items.map(\.value.order), next: page.next)
            }
        }
    }

    func order(_ id: OrderID) async throws -> Order {
        try await session.call(signedIn: .order) { world, user in
            try world.update { state throws(SanctuaryError) in
                let found = state.orders.first { $0.value.order.id == id && $0.value.user == user.account.id }
                guard let found else { throw SanctuaryError(.notFound, "no such order", subject: id.rawValue) }
                return found.value.order
            }
        }
    }

    func place(_ draft: OrderDraft) async throws -> Order {
        try await session.call(signedIn: .place) { world, user in
            try draft.check()
            let now = world.now()
            return try world.update { state throws(SanctuaryError) in
                let earlier = state.orders.first { $0.value.key == draft.key && $0.value.user == user.account.id }
                if let earlier { return earlier.value.order }
                let sequence = state.nextSequence()
                let order = Order(id: OrderID("o-\(sequence)"), status: .pending, lines: draft.lines, placedAt: now)
                let kept = FakeOrder(order: order, user: user.account.id, key: draft.key)
                state.orders.append(FakeRecord(sequence: sequence, value: kept))
                return order
            }
        }
    }
}

extension OrderDraft {
    fileprivate func check() throws(SanctuaryError) {
        guard !lines.isEmpty else {
            throw SanctuaryError(.invalidRequest, "an order has at least one line", subject: "lines")
        }
        for (index, line) in lines.enumerated() where line.quantity < 1 {
            throw SanctuaryError(.invalidRequest, "at least 1", subject: "lines[\(index)].quantity")
        }
        let order = Order(id: OrderID(""), status: .pending, lines: lines, placedAt: .referenceDate2001)
        guard order.totals != nil else {
            throw SanctuaryError(.invalidRequest, "the sum is too large", subject: "lines")
        }
    }
}
