#if Sandbox
extension MenagerieClient {
    /// Fetches a page of the user's orders, oldest first.
    public nonisolated func orders(
        cursor: String? = nil,
        limit: Int? = nil,
        accessToken: String
    ) async throws(MenagerieError) -> Page<Order> {
        try await requireConfiguration()
        return try await wire.call(.get("orders", query: pageQuery(cursor: cursor, limit: limit), token: accessToken))
    }

    public nonisolated func order(id: String, accessToken: String) async throws(MenagerieError) -> Order {
        try await requireConfiguration()
        return try await wire.call(.get("orders", id, token: accessToken))
    }

    /// Places an order. Failures of the server or the transport are retried as the options specify.
    ///
    /// - Parameter idempotencyKey: the same key returns the same order.
    public nonisolated func placeOrder(
        lines: [OrderLine],
        idempotencyKey: String? = nil,
        accessToken: String
    ) async throws(MenagerieError) -> Order {
        try await requireConfiguration()
        var request = try WireRequest.post("orders", token: accessToken).json(["lines": lines])
        if let idempotencyKey { request.headers.append(("Idempotency-Key", idempotencyKey)) }
        var retries = max(0, options.orderRetries)
        var pause = options.retryBackoff
        while true {
            do {
                return try await wire.call(request)
            } catch  where error.isWorthRetrying && retries > 0 {
                retries -= 1
                do { try await options.clock.sleep(for: pause) } catch { throw .cancelled }
                pause *= 2
            }
        }
    }
}

extension MenagerieError {
    fileprivate var isWorthRetrying: Bool {
        switch self {
        case .transport(let failure): failure.kind != .closed && failure.kind != .invalidRequest
        case .server(_, let reply): (500...599).contains(reply.status)
        default: false
        }
    }
}
#endif
