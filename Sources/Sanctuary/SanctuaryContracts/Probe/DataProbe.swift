public import CofferdamContracts  // oddities and quirks are its types
public import SanctuaryDomain  // the probe's methods use the domain's values

/// The vendor's side for the rules about reading and changing data; see ``SanctuaryProbe`` for all other rules.
public protocol DataProbe: Sendable {
    // MARK: Setup

    /// Makes the record's payload odd wherever it is read, until the next reset. An unknown value is an animal's kind
    /// or an order's status.
    func makeOdd(_ record: SanctuaryRecord, _ oddity: PayloadOddity) async throws

    /// Adds an order of a user, and returns it as a perfect adapter shows it to them. The lines are not checked.
    ///
    /// - Parameter placedAt: of which the vendor keeps whole seconds; nil for now.
    func addOrder(_ lines: [OrderLine], of user: String, status: OrderStatus, placedAt: Instant?) async throws -> Order

    /// Adds messages by another user, and returns them as a perfect adapter shows them, oldest first.
    func seedMessages(_ count: Int) async throws -> [Message]

    // MARK: Faults

    /// Pages a list with this quirk until the next reset; nil pages it as usual.
    ///
    /// Has no effect on a vendor without cursors.
    func setPagingQuirk(_ quirk: PagingQuirk?, on operation: SanctuaryOperation) async throws

    // MARK: Evidence

    /// Returns the fields of the calls since the reset that the vendor's description of the operation does not contain,
    /// as paths: "lines.debug".
    func strayFields(of operation: SanctuaryOperation) async throws -> [String]

    /// Returns the lines of an order as the vendor holds them.
    func linesHeld(of order: OrderID) async throws -> [OrderLine]

    /// Returns the text of a message as the vendor holds it.
    func textHeld(of message: MessageID) async throws -> String

    /// Returns what the vendor holds of a user's orders (``SanctuaryOperation/place``) or messages
    /// (``SanctuaryOperation/send``), in order of arrival: the articles of an order, the text of a message.
    func contentsHeld(of operation: SanctuaryOperation, by user: String) async throws -> [String]

    /// Returns the nickname of an accessory as the vendor holds it; "" if it has none.
    func nicknameHeld(of accessory: AccessoryID) async throws -> String

    /// Returns the files that the adapter has on disk, as paths within its directory.
    func files() async throws -> Set<String>

    /// Returns the groups for which the catalogue was asked since the reset, in order and in the vendor's spelling.
    func requestedGroups() async throws -> [String]

    /// Returns, since the reset, how many calls for pictures named the version they have, and how many bytes of
    /// pictures the vendor sent.
    func photoTraffic() async throws -> (validators: Int, bytes: Int)
}

extension DataProbe {
    /// Adds an order placed now, by default of the subject's user.
    func addOrder(_ lines: [OrderLine], of user: String = "amara") async throws -> Order {
        try await addOrder(lines, of: user, status: .pending, placedAt: nil)
    }
}

/// A record at the vendor.
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
