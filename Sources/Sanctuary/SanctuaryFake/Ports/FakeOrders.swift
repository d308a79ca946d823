import SanctuaryContracts
import SanctuaryDomain

struct FakeOrders: Orders {
    let session: FakeSession

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try await session.call(signedIn: .orders) { world, user in
            try world.update { state throws(SanctuaryError) in
                let own = state.orders.filter { $0.value.user == user.account.id }
                let page = try state.page(request, of: "orders:\(user.account.id)", own, by: .orders)
                let items = try readEach(page.items.map(\.value.order), state.read)
                return Page(items: items, next: page.next)
            }
        }
    }

    func order(_ id: OrderID) async throws -> Order {
        _ = try await session.user()
        try id.check()
        return try await session.call(signedIn: .order) { world, user in
            try world.update { state throws(SanctuaryError) in
                guard let found = state.orders.first(where: { $0.value.order.id == id }) else {
                    throw SanctuaryError(.notFound, "no such order", subject: id.rawValue)
                }
                guard found.value.user == user.account.id else {
                    throw SanctuaryError(.forbidden, "another user's order", subject: id.rawValue)
                }
                return try state.read(found.value.order, at: "")
            }
        }
    }

    func place(_ draft: OrderDraft) async throws -> Order {
        try await session.call(signedIn: .place) { world, user in
            try draft.validate()
            try draft.checkLimits()
            let now = world.now()
            return try world.update { state throws(SanctuaryError) in
                let earlier = state.orders.first { $0.value.key == draft.key && $0.value.user == user.account.id }
                if let order = earlier?.value.order {
                    guard order.lines == draft.lines else {
                        throw SanctuaryError(.conflict, "the key was used for another order", subject: "key")
                    }
                    return order
                }
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
    /// Checks the vendor's own limits.
    fileprivate func checkLimits() throws(SanctuaryError) {
        for (index, line) in lines.enumerated() {
            guard (1...200).contains(line.article.utf8.count) else {
                throw SanctuaryError(.invalidRequest, "1 to 200 bytes", subject: "lines[\(index)].article")
            }
            guard line.quantity <= 1_000_000 else {
                throw SanctuaryError(.invalidRequest, "1 to 1000000", subject: "lines[\(index)].quantity")
            }
        }
    }
}
