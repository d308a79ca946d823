public import CofferdamContracts  // oddities and quirks are its words
public import SanctuaryDomain  // the probe speaks of the domain's values

/// What the rules of reading and changing data need of the vendor, beside what all rules need; see ``SanctuaryProbe``.
public protocol DataProbe: Sendable {
    // MARK: The stage

    /// Twenty animals as ``SanctuaryProbe/seedAnimals(_:)`` adds them to an empty vendor; the payload of one of them is
    /// odd until the next reset. Returns them as they are without that.
    func seedAnimals(odd oddity: PayloadOddity) async throws -> OddSeed<AnimalID, Animal>

    /// Adds an order of the subject's user, and returns it as a perfect adapter shows it. The lines are not checked.
    func addOrder(_ lines: [OrderLine]) async throws -> Order

    /// Somebody else writes so many messages; returns them as a perfect adapter shows them, oldest first.
    func seedMessages(_ count: Int) async throws -> [Message]

    // MARK: Trouble

    /// From now until the next reset, a list is paged so; nil: as usual.
    ///
    /// A vendor without cursors, which cannot do it, leaves its lists as they are.
    func setPagingQuirk(_ quirk: PagingQuirk?, on operation: SanctuaryOperation) async throws

    // MARK: Evidence

    /// The fields of the calls that have arrived since the reset which the vendor's description of the operation does not
    /// have, by their paths: "lines.debug".
    func strayFields(of operation: SanctuaryOperation) async throws -> [String]

    /// The files that the adapter has on disk, as paths within its directory.
    func files() async throws -> Set<String>

    /// The groups for which the catalogue has been asked since the reset, in their order, as the vendor spells them.
    func requestedGroups() async throws -> [String]

    /// How many calls for pictures said which version is kept, and how many bytes of pictures were sent, since the reset.
    func photoTraffic() async throws -> (validators: Int, bytes: Int)
}
