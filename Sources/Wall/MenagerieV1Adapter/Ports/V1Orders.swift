import Cofferdam
import MenagerieV1
import SanctuaryDomain

struct V1Orders: Orders {
    let vendor: Vendor

    func orders(_ request: PageRequest) async throws -> Page<Order> {
        try Task.checkCancellation()
        let session = try vendor.session()
        let limit = try request.vendorLimit()
        let offset = try OffsetCursor.offset(of: request, in: "orders")
        let batch: Batch<Order> = try await vendor.call { [vendor] sdk, complete in
            sdk.fetchOrders(token: session.token, offset: offset, limit: limit) { @Sendable orders, total, error in
                complete(
                    vendor.outcome(orders, error) { orders throws(SanctuaryError) in
                        let currency = session.account.currency
                        let items = try vendor.translate(orders, by: .order(in: currency), "orders")
                        return Batch(items: items, total: total)
                    }
                )
            }
        }
        return try batch.page(at: offset, limit: limit, in: "orders")
    }

    func order(_ id: OrderID) async throws -> Order {
        try Task.checkCancellation()
        let session = try vendor.session()
        guard !["", ".", ".."].contains(id.rawValue) else {
            throw SanctuaryError(.notFound, "no order has such an id", subject: id.rawValue)
        }
        return try await vendor.call(of: id.rawValue) { [vendor] sdk, complete in
            sdk.fetchOrder(id.rawValue, token: session.token) { @Sendable order, error in
                complete(
                    vendor.outcome(order, error) { order throws(SanctuaryError) in
                        try vendor.translate(order, by: .order(in: session.account.currency), "order")
                    }
                )
            }
        }
    }

    func place(_ draft: OrderDraft) async throws -> Order {
        try Task.checkCancellation()
        let session = try vendor.session()
        let currency = session.account.currency
        try check(draft, currency)
        return try await vendor.call(.changes) { [vendor] sdk, complete in
            let lines = draft.lines.map { MenagerieOrderLine($0) }
            return sdk.placeOrder(lines, token: session.token) { @Sendable order, error in
                complete(
                    vendor.outcome(order, error, .changes) { order throws(SanctuaryError) in
                        try vendor.translate(order, by: .order(in: currency), "order")
                    }
                )
            }
        }
    }

    /// Before anything is sent.
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
