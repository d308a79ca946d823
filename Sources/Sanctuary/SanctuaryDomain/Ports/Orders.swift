/// Port: the signed-in user's orders.
///
/// Isolation, cancellation and errors are those of ``Catalogue``. Without valid credentials every call throws
/// `authenticationRequired` (AUTH-10). If the vendor supports it (`sessionRefresh`), an expired access token is
/// refreshed, once for all waiting calls (AUTH-01, AUTH-02), without the callers noticing. A process that was killed
/// between the refresh and its answer is signed in when it starts again, and the device's clock may be wrong (D16).
public protocol Orders: Sendable {
    /// Returns one page of the orders, oldest first; cursors work as in ``Catalogue/animals(_:)``.
    func orders(_ request: PageRequest) async throws -> Page<Order>

    /// - Throws: `notFound` for an unknown order, `forbidden` for another user's.
    func order(_ id: OrderID) async throws -> Order

    /// Places an order, and returns it as recorded: ``order(_:)`` finds it at once (MUT-01). Amounts are exact.
    ///
    /// An order is placed at most once for each key, also after a relaunch (D18, MUT-06, MUT-07). If the vendor has
    /// `idempotencyKeys`, the draft may be sent several times; otherwise it is sent once, and never repeated
    /// automatically after an ambiguous failure. In that case, a repeat by the caller first searches for the order,
    /// among those placed since then that belong to no other key. It cannot see an order that is still in flight, and
    /// cannot distinguish it from the same order placed meanwhile by another device of the user.
    ///
    /// - Throws: `invalidRequest` for no lines, a quantity below 1, an empty key where it is sent, or an amount the
    ///   vendor rejects, naming the field (MUT-04); `conflict` for a key that was used for other lines (MUT-05);
    ///   `unsupported` if the vendor cannot charge in that currency; `outcomeUnknown` if the connection was lost after
    ///   the order was sent, or the answer cannot be read.
    func place(_ draft: OrderDraft) async throws -> Order
}
