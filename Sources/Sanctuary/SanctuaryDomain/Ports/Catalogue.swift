/// Port: the vendor's catalogue of animals.
///
/// Calls may be made from any task, in parallel; answers never cross (LIFE-03). A task that is already cancelled makes no
/// call (CANC-01); one that is cancelled while waiting throws `CancellationError` at once, and the vendor's work stops
/// (CANC-02). Every other error is a ``SanctuaryError``, the same for the same fault whatever the SDK (ERR-01, ERR-02,
/// ERR-04).
public protocol Catalogue: Sendable {
    /// One page of all animals, or of one group's, oldest entry first, in an order that does not change while walking
    /// (LIST-01).
    ///
    /// `next` is absent on the last page and only there (LIST-02 to LIST-04): following it until then gives every animal
    /// that was there from the beginning to the end of the walk exactly once. A cursor that the vendor repeats ends
    /// the walk with `invalidCursor`, never with a short list (LIST-05); so does one that has expired or was not made
    /// by this adapter (LIST-06). A limit below 1 is `invalidRequest`. A vendor's own cap is not visible: fewer items
    /// than `limit` mean nothing (LIST-07). After a page that failed, the same cursor goes on where it was (LIST-09).
    ///
    /// A group is asked for at the vendor (LIST-08), by its exact spelling, which may be one that this app has never heard
    /// of; of a group without animals the list is empty. A page of a group may have any number of animals up to `limit`,
    /// none too, and `next` alone says whether it is the last. A cursor goes on in the list that gave it: with another
    /// group, or none, it is `invalidCursor`. Without the capability ``Capability/groupFilter``, asking for a group is
    /// `unsupported`, before anything is sent.
    ///
    /// An animal that cannot be read makes the whole page fail with `decoding`, naming its path (GET-04). An unknown
    /// group is data: ``AnimalGroup/unknown(_:)`` and one issue reported, the other animals unharmed (GET-07).
    func animals(_ request: AnimalsRequest) async throws -> Page<Animal>

    /// The animal of that id, field by field as the vendor has it (GET-01, GET-06); unknown extra fields are ignored
    /// (GET-03), and null, absent and empty are three things (GET-05).
    ///
    /// - Throws: `notFound` for an id that the vendor does not know (GET-02), `unreachable` if it cannot be asked: never
    ///   the one for the other. `decoding` with the path of a missing field (GET-04).
    func animal(_ id: AnimalID) async throws -> Animal
}
