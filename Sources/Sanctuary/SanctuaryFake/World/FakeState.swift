import CofferdamContracts
import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

/// The state of the fake vendor.
struct FakeState: Sendable {
    var animals: [FakeRecord<AnimalFixture>] = []
    var photos: [AnimalID: Photo] = [:]
    var oddities: [SanctuaryRecord: PayloadOddity] = [:]
    var accessories: [AccessoryID: Accessory] = [:]
    var nicknames: [AccessoryID: String] = [:]
    var users = FakeUser.all
    var orders: [FakeRecord<FakeOrder>] = []
    var messages: [FakeRecord<Message>] = []
    /// The sent messages by author and key.
    var sentMessages: [String: [String: Message]] = [:]

    /// Access and refresh tokens, each with its user's id.
    var accessTokens: [String: String] = [:]
    var refreshTokens: [String: String] = [:]
    /// The credentials that each used refresh token was exchanged for.
    var grants: [String: FakeCredential] = [:]
    /// Every token ever issued, of either kind, oldest first.
    var givenTokens: [String] = []

    var calls: [SanctuaryOperation: Int] = [:]
    /// The callers' user ids by operation, for calls with a token, expired or not.
    var callers: [SanctuaryOperation: [String]] = [:]
    /// The groups for which the catalogue was asked, in order.
    var requestedGroups: [String] = []
    /// The number of picture calls with a validator, and the number of picture bytes sent.
    var photoTraffic = (validators: 0, bytes: 0)
    var faults: [SanctuaryOperation: [PendingFault]] = [:]
    /// The number of calls held now.
    var held = 0
    /// The number of times that all held calls were released.
    var releases = 0
    /// The paging quirks, by list operation.
    var quirks: [SanctuaryOperation: PagingQuirk] = [:]
    /// The callback defect of the next call.
    var callbackQuirk: CallbackQuirk?
    /// The issues that the instances have reported, one text each.
    var output: [String] = []
    /// The number of events dropped for subscribers that were too far behind.
    var drops: [SanctuaryStream: Int] = [:]
    /// The subscriptions in progress.
    var openings: [Int: FakeOpening] = [:]
    /// The cursor that "" stands for while ``PagingQuirk/emptyStringCursor`` is on.
    var emptyCursor: String?
    /// Cursors of an earlier epoch have expired.
    var cursorEpoch = 0

    /// The last number given to anything: records, tokens, waiters.
    private var lastNumber = 0
    /// The last number given to a record since the baseline, so that the same steps give the same ids.
    private var lastSequence = 0

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func nextSequence() -> Int {
        lastSequence += 1
        return lastSequence
    }

    /// Clears the world; numbering continues, so that nothing old is mistaken for something new.
    mutating func clear() {
        let (number, releases, epoch) = (lastNumber, releases, cursorEpoch)
        self = FakeState()
        lastNumber = number
        self.releases = releases
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

/// A record in a list, in order of arrival.
struct FakeRecord<Value: Sendable>: Sendable {
    let sequence: Int
    var value: Value
}

/// An order with the vendor's own data.
struct FakeOrder: Sendable {
    var order: Order
    let user: String
    let key: String
}

extension FakeRecord<AnimalFixture> {
    var id: AnimalID { AnimalID(String(sequence)) }

    /// - Parameters:
    ///   - path: the record's path in the answer: "items[3]", or "" for the whole.
    ///   - issues: gets an issue for each part that cannot be shown as it is.
    func animal(
        _ oddity: PayloadOddity?,
        at path: String,
        _ issues: inout [TranslationIssue]
    ) throws(SanctuaryError) -> Animal {
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
        func report(_ what: String, _ field: String, _ raw: String) {
            let place = path.isEmpty ? field : "\(path).\(field)"
            issues.append(TranslationIssue(what, at: place, raw: raw, severity: .warning))
        }
        if animal.group.isUnknown { report("unknown group", "group", animal.group.description) }
        for (field, count) in [("legs", value.legs), ("heads", value.heads)] {
            if let count, count < 0 { report("a negative count", field, "\(count)") }
        }
        return animal
    }

    /// The animal as the port shows it.
    var animal: Animal {
        func count(_ number: Int?) -> Count { number.flatMap { $0 < 0 ? nil : .known($0) } ?? .unknown }
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
