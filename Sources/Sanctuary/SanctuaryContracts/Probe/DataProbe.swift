public import CofferdamContracts  // oddities and quirks are its words
public import SanctuaryDomain  // the probe speaks of the domain's values

/// What the rules of reading and changing data need of the vendor, beside what all rules need; see ``SanctuaryProbe``.
public protocol DataProbe: Sendable {
    // MARK: The stage

    /// Until the next reset, the payload of that record is odd wherever it is read. An unknown value is an animal's kind or
    /// an order's status.
    func makeOdd(_ record: SanctuaryRecord, _ oddity: PayloadOddity) async throws

    /// Adds an order of the subject's user, and returns it as a perfect adapter shows it. The lines are not checked.
    func addOrder(_ lines: [OrderLine]) async throws -> Order

    /// Another user writes that many messages; returns them as a perfect adapter shows them, oldest first.
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

/// A record of the vendor's.
public enum SanctuaryRecord: Sendable, Hashable, CustomStringConvertible {
    case animal(AnimalID)
    case order(OrderID)
    case message(MessageID)
    case accessory(AccessoryID)

    public var description: String {
        switch self {
        case .animal(let id): "animal \(id)"
        case .order(let id): "order \(id)"
        case .message(let id): "message \(id)"
        case .accessory(let id): "accessory \(id)"
        }
    }
}
