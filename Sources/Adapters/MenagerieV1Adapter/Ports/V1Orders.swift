#if Sandbox
import Cofferdam
import MenagerieV1
import SanctuaryDomain

struct V1Orders: Orders {
    let vendor: Vendor
    let journal: OrderJournal

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try Task.checkCancellation()
        let session = try vendor.session()
        let limit = try request.vendorLimit()
        let offset = try OffsetCursor.offset(of: request, in: "orders")
        return try await batch(offset, limit, session).page(at: offset, limit: limit, in: "orders")
    }

    private func batch(_ offset: Int, _ limit: Int, _ session: Vendor.Session) async throws -> Batch<Order> {
        try await vendor.call { sdk, answer in
            sdk.fetchOrders(token: session.token, offset: offset, limit: limit) { @Sendable orders, total, error in
                answer(orders.map { ($0, total) }, error)
            }
        } translate: { [vendor] orders, total throws(SanctuaryError) in
            let items = try vendor.translate(orders, by: .order(in: session.account.currency), "orders")
            return Batch(items: items, total: total)
        }
    }

    func order(_ id: OrderID) async throws -> Order {
        try Task.checkCancellation()
        let session = try vendor.session()
        try id.check()
        return try await vendor.call(of: id.rawValue) { sdk, answer in
            sdk.fetchOrder(id.rawValue, token: session.token, completion: answer)
        } translate: { [vendor] order throws(SanctuaryError) in
            try vendor.translate(order, by: .order(in: session.account.currency), "order")
        }
    }

    func place(_ draft: OrderDraft) async throws -> Order {
        try Task.checkCancellation()
        let session = try vendor.session()
        let currency = session.account.currency
        try check(draft, currency)
        return try await journal.turnstile.run {
            try Task.checkCancellation()
            let entry: OrderJournal.Entry
            let known = try journal.entry(draft.key, of: session.account.id)
            if let known {
                guard known.lines == draft.lines.map(OrderJournal.Line.init) else {
                    throw SanctuaryError(.conflict, "the key was used for another order", subject: "key")
                }
                if let id = known.orderID { return try await order(OrderID(id)) }
                entry = known
                if let order = try await find(entry, session) {
                    note(order, as: entry)
                    return order
                }
            } else {
                let lines = draft.lines.map(OrderJournal.Line.init)
                let before = try await batch(0, 1, session).total
                entry = OrderJournal.Entry(key: draft.key, user: session.account.id, lines: lines, before: before)
                try journal.put(entry)
            }
            do {
                let order = try await send(draft, session)
                note(order, as: entry)
                return order
            } catch {
                // The refusal of a repeat says nothing about the first attempt.
                if known == nil, !Vendor.Effect.leavesOpen(error) { try journal.forget(entry) }
                throw error
            }
        }
    }

    /// Returns the order of an earlier attempt, if the vendor has it: one with the same lines, placed since then, that
    /// belongs to no other key.
    private func find(_ entry: OrderJournal.Entry, _ session: Vendor.Session) async throws -> Order? {
        let claimed = try journal.claimed(by: entry.user)
        var offset = entry.before
        while true {
            let batch = try await batch(offset, 1000, session)
            let found = batch.items.first { order in
                order.lines.map(OrderJournal.Line.init) == entry.lines && !claimed.contains(order.id.rawValue)
            }
            if let found { return found }
            offset += batch.items.count
            guard !batch.items.isEmpty, offset < batch.total else { return nil }
        }
    }

    /// Records the order's id. The order is placed even if this fails: a repeat then searches for it.
    private func note(_ order: Order, as entry: OrderJournal.Entry) {
        var entry = entry
        entry.orderID = order.id.rawValue
        do throws(SanctuaryError) {
            try journal.put(entry)
        } catch {
            let issue = TranslationIssue(error.message, at: "journal", raw: entry.key, severity: .warning)
            vendor.issues.report([issue], of: "place")
        }
    }

    private func send(_ draft: OrderDraft, _ session: Vendor.Session) async throws -> Order {
        try await vendor.call(.changes) { sdk, answer in
            sdk.placeOrder(draft.lines.map { MenagerieOrderLine($0) }, token: session.token, completion: answer)
        } translate: { [vendor] order throws(SanctuaryError) in
            try vendor.translate(order, by: .order(in: session.account.currency), "order")
        }
    }

    /// Validates the draft before anything is sent.
    private func check(_ draft: OrderDraft, _ currency: Currency) throws(SanctuaryError) {
        try draft.validate()
        for (index, line) in draft.lines.enumerated() where line.unitPrice.currency != currency {
            throw SanctuaryError(
                .unsupported,
                "the account is charged in \(currency.code), not in \(line.unitPrice.currency.code)",
                subject: "lines[\(index)].unitPrice"
            )
        }
    }
}
#endif
