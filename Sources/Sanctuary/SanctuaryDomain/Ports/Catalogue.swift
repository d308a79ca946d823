/// Port: the vendor's catalogue of animals.
///
/// Calls may be made from any task, in parallel; answers are never mixed up (LIFE-03). A task that is already cancelled
/// makes no call (CANC-01); one that is cancelled while waiting throws `CancellationError` at once, and the vendor's
/// work stops (CANC-02). Every other error is a ``SanctuaryError``: the same fault gives the same error with every SDK
/// (ERR-01, ERR-02, ERR-04).
public protocol Catalogue: Sendable {
    /// Returns one page of all animals, or of one group, oldest entry first, in an order that does not change during a
    /// walk (LIST-01).
    ///
    /// `next` is absent on the last page and only there (LIST-02 to LIST-04): following it to the end returns every
    /// animal that existed throughout the walk exactly once. A cursor that the vendor repeats ends the walk with
    /// `invalidCursor`, never with a short list (LIST-05); so does one that has expired or belongs to another adapter
    /// (LIST-06). A limit below 1 is `invalidRequest`. A vendor's own maximum is not visible: fewer items than `limit`
    /// mean nothing (LIST-07). After a failed page, the same cursor continues from the same place (LIST-09).
    ///
    /// The vendor filters by group (LIST-08), by its exact spelling, which may be unknown to this app; a group without
    /// animals has an empty list. A page of a group may hold any number of animals up to `limit`, including none, and
    /// `next` alone tells whether it is the last. A cursor is valid for its own list: with another group, or none, it
    /// is `invalidCursor`. Without the capability ``Capability/groupFilter``, requesting a group is `unsupported`,
    /// before anything is sent.
    ///
    /// An animal that cannot be read fails the whole page with `decoding`, which names its path (GET-04). An unknown
    /// group is data: ``AnimalGroup/unknown(_:)`` and one reported issue; the other animals are unaffected (GET-07).
    func animals(_ request: AnimalsRequest) async throws -> Page<Animal>

    /// Returns the animal with that id, every field as the vendor sent it (GET-01, GET-06); unknown fields are ignored
    /// (GET-03), and null, absent and empty are distinct (GET-05).
    ///
    /// - Throws: `notFound` for an id that the vendor does not know (GET-02), `unreachable` if the vendor cannot be
    ///   reached: never one for the other. `decoding` with the path of a missing field (GET-04).
    func animal(_ id: AnimalID) async throws -> Animal
}
