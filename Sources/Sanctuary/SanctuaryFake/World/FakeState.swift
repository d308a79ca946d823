import CofferdamContracts
import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

/// Everything that the imagined vendor knows.
struct FakeState: Sendable {
    var animals: [FakeRecord<AnimalFixture>] = []
    var photos: [AnimalID: Photo] = [:]
    var oddities: [SanctuaryRecord: PayloadOddity] = [:]
    var accessories: [AccessoryID: Accessory] = [:]
    var nicknames: [AccessoryID: String] = [:]
    var orders: [FakeRecord<FakeOrder>] = []
    var messages: [FakeRecord<Message>] = []
    /// By author and key.
    var sentMessages: [String: [String: Message]] = [:]

    /// Access and refresh tokens, each with its user's id.
    var accessTokens: [String: String] = [:]
    var refreshTokens: [String: String] = [:]
    /// What each used refresh token gave.
    var grants: [String: FakeCredential] = [:]
    /// Every token that was ever given, of either kind, oldest first.
    var givenTokens: [String] = []

    var calls: [SanctuaryOperation: Int] = [:]
    /// As whom they came, where they bore a token, expired or not.
    var callers: [SanctuaryOperation: [String]] = [:]
    /// The groups for which the catalogue was asked, in their order.
    var requestedGroups: [String] = []
    /// How many calls for pictures said which version is kept, and how many bytes of pictures were sent.
    var photoTraffic = (validators: 0, bytes: 0)
    var faults: [SanctuaryOperation: [PendingFault]] = [:]
    /// How many calls are held now.
    var held = 0
    /// By what the list is asked for.
    var quirks: [SanctuaryOperation: PagingQuirk] = [:]
    /// How the next call is called back.
    var callbackQuirk: CallbackQuirk?
    /// How many events were dropped for subscribers who were too far behind.
    var drops: [SanctuaryStream: Int] = [:]
    /// The subscriptions that are being made.
    var openings: [Int: FakeOpening] = [:]
    /// What "" stands for while ``PagingQuirk/emptyStringCursor`` is on.
    var emptyCursor: String?
    /// Cursors of an earlier epoch have expired.
    var cursorEpoch = 0

    /// Numbers everything: records, tokens, waiters.
    private var lastNumber = 0
    /// Numbers the records since the baseline, so that the same steps give the same ids.
    private var lastSequence = 0

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func nextSequence() -> Int {
        lastSequence += 1
        return lastSequence
    }

    /// Empties the world; numbers go on, so that nothing old is mistaken for something new.
    mutating func clear() {
        let (number, epoch) = (lastNumber, cursorEpoch)
        self = FakeState()
        lastNumber = number
        cursorEpoch = epoch + 1
    }

    mutating func nextCallbackQuirk() -> CallbackQuirk? {
        defer { callbackQuirk = nil }
        return callbackQuirk
    }

    mutating func nextFault(of operation: SanctuaryOperation) -> VendorFault? {
        guard var pending = faults[operation]?.first else { return nil }
        pending.times -= 1
        if pending.times > 0 { faults[operation]?[0] = pending } else { faults[operation]?.removeFirst() }
        return pending.fault
    }

    struct PendingFault: Sendable {
        var fault: VendorFault
        var times: Int
    }
}

/// Something in a list, in the order in which it came.
struct FakeRecord<Value: Sendable>: Sendable {
    let sequence: Int
    var value: Value
}

/// An order with what the vendor keeps beside it.
struct FakeOrder: Sendable {
    var order: Order
    let user: String
    let key: String
}

extension FakeRecord<AnimalFixture> {
    var id: AnimalID { AnimalID(String(sequence)) }

    /// - Parameter path: where the record stands in the answer: "items[3]", or "" for the whole of it.
    func animal(_ oddity: PayloadOddity?, at path: String) throws(SanctuaryError) -> Animal {
        var animal = animal
        switch oddity {
        case nil, .extraField: break
        case .unknownValue(let raw): animal.group = AnimalGroup(raw)
        case .empty("kind"): animal.group = AnimalGroup("")
        case .missing("legs"), .null("legs"): animal.legs = .unknown
        case .missing("heads"), .null("heads"): animal.heads = .unknown
        case .empty("name"): animal.name = ""
        case .some(let oddity): throw oddity.unreadable(at: path)
        }
        return animal
    }

    /// The animal as the port shows it.
    var animal: Animal {
        func count(_ number: Int?) -> Count { number.map { .known($0) } ?? .unknown }
        return Animal(
            id: id,
            name: value.name,
            displayName: value.name,
            group: AnimalGroup(value.group),
            legs: count(value.legs),
            heads: count(value.heads)
        )
    }
}
