/// Port: the Bluetooth accessories near the keeper.
///
/// Isolation, cancellation and errors as ``Catalogue`` says. At any moment at most one accessory is active, and an active
/// one is linked.
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

    /// Links the accessory and makes it the active one; the one that was active until then stays linked. Making the
    /// active one active changes nothing.
    ///
    /// - Throws: `notFound` for an unknown accessory; `conflict` while another device keeps activating one of its own.
    func activate(_ id: AccessoryID) async throws

    /// Unlinks the accessory; not linked, nothing changes.
    ///
    /// - Throws: `notFound` for an unknown accessory.
    func release(_ id: AccessoryID) async throws
}
