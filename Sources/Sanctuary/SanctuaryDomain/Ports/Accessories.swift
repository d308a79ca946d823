/// Port: the Bluetooth accessories near the keeper.
///
/// Isolation, cancellation and errors are those of ``Catalogue``. At any moment at most one accessory is active, and an
/// active one is linked.
///
/// A lost link is visible within a second: as ``Accessory/Link/reconnecting`` if the vendor seeks it again, otherwise
/// as `available`. If it is not found within ``Accessory/Link/patience``, it becomes `available` (D13).
public protocol Accessories: Sendable {
    /// Returns every accessory in reach, by id.
    func accessories() async throws -> [Accessory]

    /// Returns the changes, in a separate stream for each subscriber: first ``AccessoryEvent/current(_:)``, then every
    /// change in order, one at a time (STRM-01), however many subscribers there are.
    ///
    /// A subscriber that falls behind by more events than the vendor or the adapter buffers (at most 1,024) gets
    /// ``AccessoryEvent/current(_:)`` again instead of them: no change is lost silently. The stream ends with an error
    /// if the connection to the vendor is lost or an event cannot be read. It releases the vendor's subscription when
    /// the consuming task is cancelled or the stream is dropped (STRM-04). Iterate it once.
    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable

    /// Searches for accessories, and returns all that were found. Concurrent callers share one search (D15). Cancelling
    /// the task ends the wait, but neither the search nor any link.
    func scan() async throws -> [Accessory]

    /// Links the accessory and makes it the active one; the previously active one stays linked. Nothing else about them
    /// changes (MUT-03). Activating the active accessory has no effect.
    ///
    /// The last choice wins: an accessory whose link was lost while it was active, and which returns after another was
    /// activated here, does not become active again. This call releases it (D11 with D13).
    ///
    /// - Throws: `notFound` for an unknown accessory; `conflict` while another device keeps activating one of its own.
    func activate(_ id: AccessoryID) async throws

    /// Unlinks the accessory; has no effect if it is not linked.
    ///
    /// - Throws: `notFound` for an unknown accessory.
    func release(_ id: AccessoryID) async throws

    /// Sends a command to the active accessory, once. A command belongs to its accessory: it never waits for a lost
    /// link, and never reaches another accessory that is active meanwhile (D13).
    ///
    /// - Throws: `conflict` if the accessory is not active at that moment, in which case nothing is done; `notFound`
    ///   for an unknown accessory; `outcomeUnknown` if the connection was lost after the command was sent.
    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws

    /// Returns the user's nicknames for accessories.
    ///
    /// - Throws: `unsupported` if the vendor does not store nicknames (`nicknames`), before anything is sent (D29).
    func nicknames() async throws -> [AccessoryID: String]

    /// Sets an accessory's nickname; nil or an empty one removes it, and removing it again has no effect (MUT-02).
    ///
    /// - Throws: `notFound` for an unknown accessory; `unsupported` as for ``nicknames()``.
    func setNickname(_ nickname: String?, of id: AccessoryID) async throws
}

extension Accessories {
    /// Passes every nickname to `keep`, with which the app stores it itself: for use before the cutover to a vendor
    /// without nicknames. Calling it again passes the nicknames that exist then.
    ///
    /// - Returns: the number of nicknames.
    /// - Throws: the errors of ``nicknames()`` and of `keep`.
    public func exportNicknames(to keep: (AccessoryID, String) async throws -> Void) async throws -> Int {
        let nicknames = try await nicknames().sorted { $0.key.rawValue < $1.key.rawValue }
        for (id, nickname) in nicknames { try await keep(id, nickname) }
        return nicknames.count
    }
}
