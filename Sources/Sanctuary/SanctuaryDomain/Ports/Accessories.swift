/// Port: the Bluetooth accessories near the keeper.
///
/// Isolation, cancellation and errors as ``Catalogue`` says. At any moment at most one accessory is active, and an active
/// one is linked.
///
/// A lost link shows within a second, as ``Accessory/Link/reconnecting`` where the vendor seeks it again and else as
/// `available`; one that is not found within ``Accessory/Link/patience`` is `available` (D13).
public protocol Accessories: Sendable {
    /// Every accessory in reach, by id.
    func accessories() async throws -> [Accessory]

    /// What changes, for this subscriber alone: first ``AccessoryEvent/current(_:)``, then every change in its order,
    /// delivered one at a time (STRM-01), however many others listen.
    ///
    /// A subscriber who is more events behind than the vendor or the adapter keeps (at most 1,024) gets
    /// ``AccessoryEvent/current(_:)`` again in their place: single changes are never lost in silence. The stream ends by
    /// an error if the vendor is lost or says what cannot be read, and releases the vendor's subscription when the
    /// consuming task is cancelled or the stream is dropped (STRM-04). Iterate it once.
    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable

    /// Looks for accessories, and returns every one that was found. However many look at once, each gets an answer: one
    /// search serves them all (D15). Cancelling the task ends the waiting, not the search, and no link.
    func scan() async throws -> [Accessory]

    /// Links the accessory and makes it the active one; the one that was active until then stays linked. Nothing else
    /// of them changes (MUT-03). Making the active one active changes nothing.
    ///
    /// The last one chosen stays: an accessory whose link was lost while it was active, and comes back after another was
    /// activated here, does not become active again. It is released by this call (D11 with D13).
    ///
    /// - Throws: `notFound` for an unknown accessory; `conflict` while another device keeps activating one of its own.
    func activate(_ id: AccessoryID) async throws

    /// Unlinks the accessory; not linked, nothing changes.
    ///
    /// - Throws: `notFound` for an unknown accessory.
    func release(_ id: AccessoryID) async throws

    /// Has the active accessory do something, once. A command belongs to its accessory: it never waits for a lost link,
    /// and never reaches another accessory that is active in the meantime (D13).
    ///
    /// - Throws: `conflict` unless the accessory is active at that moment, and nothing is done then; `notFound` for an
    ///   unknown accessory; `outcomeUnknown` if the connection was lost after it was sent.
    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws

    /// The user's own names for accessories, where there are any.
    ///
    /// - Throws: `unsupported` where the vendor keeps none (`nicknames`), before anything is sent (D29).
    func nicknames() async throws -> [AccessoryID: String]

    /// Names an accessory; nil forgets the name, and forgetting it again changes nothing (MUT-02).
    ///
    /// - Throws: `notFound` for an unknown accessory; `unsupported` as ``nicknames()``.
    func setNickname(_ nickname: String?, of id: AccessoryID) async throws
}

extension Accessories {
    /// Hands every nickname to the app, which keeps them in its own store: to be done before the cut-over to a vendor who
    /// has none. Again, it hands over what there is then.
    ///
    /// - Returns: how many there were.
    /// - Throws: what ``nicknames()`` throws, and what `keep` throws.
    public func exportNicknames(to keep: (AccessoryID, String) async throws -> Void) async throws -> Int {
        let nicknames = try await nicknames().sorted { $0.key.rawValue < $1.key.rawValue }
        for (id, nickname) in nicknames { try await keep(id, nickname) }
        return nicknames.count
    }
}
