/// Port: the signed-in user's orders.
///
/// Isolation, cancellation and errors as ``Catalogue`` says. Without valid credentials every call throws
/// `authenticationRequired` (AUTH-10). An access token that has expired is refreshed where the vendor can
/// (`sessionRefresh`), once for all who wait (AUTH-01, AUTH-02), and the caller notices nothing.
public protocol Orders: Sendable {
    /// One page of the orders, oldest first; cursors as in ``Catalogue/animals(_:)``.
    func orders(_ request: PageRequest) async throws -> Page<Order>

    /// - Throws: `notFound` for an unknown order, `forbidden` for another user's.
    func order(_ id: OrderID) async throws -> Order

    /// Places an order, and returns it as recorded: ``order(_:)`` finds it at once (MUT-01). Amounts arrive exactly.
    ///
    /// Done at most once: where the vendor knows the draft's key again (`idempotencyKeys`) it may be sent several times,
    /// elsewhere it is sent once, and never repeated by itself after an ambiguous failure.
    ///
    /// - Throws: `invalidRequest` for no lines, a quantity below 1, an empty key where it is sent, or an amount the vendor
    ///   refuses, naming the field; `unsupported` if the vendor cannot charge in that currency; `outcomeUnknown` if the
    ///   connection was lost after the order was sent.
    func place(_ draft: OrderDraft) async throws -> Order
}
