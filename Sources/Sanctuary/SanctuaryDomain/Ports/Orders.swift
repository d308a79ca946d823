/// Port: the signed-in user's orders.
///
/// Isolation, cancellation and errors as ``Catalogue`` says. Without valid credentials every call throws
/// `authenticationRequired` (AUTH-10). An access token that has expired is refreshed where the vendor can
/// (`sessionRefresh`), once for all who wait (AUTH-01, AUTH-02), and the caller notices nothing; a process that was killed
/// between the refresh and its answer is signed in when it starts again, and the device's clock may be wrong (D16).
public protocol Orders: Sendable {
    /// One page of the orders, oldest first; cursors as in ``Catalogue/animals(_:)``.
    func orders(_ request: PageRequest) async throws -> Page<Order>

    /// - Throws: `notFound` for an unknown order, `forbidden` for another user's.
    func order(_ id: OrderID) async throws -> Order

    /// Places an order, and returns it as recorded: ``order(_:)`` finds it at once (MUT-01). Amounts arrive exactly.
    ///
    /// Done at most once for each key, also after a relaunch (D18, MUT-06, MUT-07): where the vendor knows the draft's key again
    /// (`idempotencyKeys`) it may be sent several times; elsewhere it is sent once, and never repeated by itself after an
    /// ambiguous failure. There, a repeat by the caller looks for the order first, among those that were placed since and
    /// are no other key's. It cannot see one that is still on its way, and cannot tell it from the same order placed by
    /// another device of the user in between.
    ///
    /// - Throws: `invalidRequest` for no lines, a quantity below 1, an empty key where it is sent, or an amount the vendor
    ///   refuses, naming the field (MUT-04); `conflict` for a key that stands for other lines (MUT-05); `unsupported` if the vendor cannot
    ///   charge in that currency; `outcomeUnknown` if the connection was lost after the order was sent, or the answer cannot
    ///   be read.
    func place(_ draft: OrderDraft) async throws -> Order
}
