#if Sandbox
import CofferdamContracts
import MenagerieService
import SanctuaryContracts
import SanctuaryDomain

/// The rules' probe for the vendor's sandbox.
struct ServiceProbe: SanctuaryProbe {
    let stand: ServiceStand
    let major: Major
    /// The issues that the adapter has reported.
    let issues: IssueRecord
    /// The adapter's state directory.
    let directory: String
    let drops: DroppedEvents

    var control: SandboxControl { stand.control }

    func reset(_ baseline: SanctuaryBaseline) async throws { try await stand.reset(to: baseline) }

    // MARK: Setup

    func seedAnimals(_ count: Int) async throws -> [Animal] {
        let groups = ["mammal", "bird", "reptile", "fish", "other"]
        return (0..<count).map { index in
            let name = "animal \(index + 1)"
            let group = groups[index % groups.count]
            let ids = control.addAnimal(name: name, kind: group, legs: 4, heads: 1)
            return Animal(
                id: AnimalID("\(ids.legacyID)"),
                name: name,
                displayName: name,
                group: AnimalGroup(group),
                legs: major.count(4),
                heads: major.count(1)
            )
        }
    }

    func addAnimal(_ fixture: AnimalFixture) async throws -> AnimalID {
        let ids = control.addAnimal(
            name: fixture.name,
            kind: fixture.group,
            legs: fixture.legs,
            heads: fixture.heads
        )
        return AnimalID("\(ids.legacyID)")
    }

    func setPhoto(_ photo: Photo, of id: AnimalID) async throws {
        control.setPhoto(photo.bytes, contentType: photo.mediaType, animal: try legacyID(id))
    }

    func addUser(_ id: String, displayName: String, currency: String) async throws {
        control.addUser(id, displayName: displayName, currency: currency)
    }

    func setNickname(_ nickname: String, of id: AccessoryID) async throws {
        try control.setNickname(nickname, of: id.rawValue)
    }

    func postMessage(author: String, text: String, sentAt: Instant?) async throws -> Message {
        let added = try control.addMessage(author: author, text: text, sentAt: sentAt?.millisecondsSince1970)
        return Message(
            id: MessageID(added.id),
            author: author,
            text: text,
            sentAt: Instant(millisecondsSince1970: added.milliseconds)
        )
    }

    func updateAccessory(
        _ id: AccessoryID,
        name: String,
        battery: Battery?,
        link: Accessory.Link?,
        lastSeen: Instant?
    ) async throws -> Accessory {
        let added = control.putAccessory(
            id.rawValue,
            name: name,
            battery: battery?.percent ?? 101,
            state: link.flatMap { AccessoryState(rawValue: $0.rawValue) },
            lastSeen: lastSeen?.millisecondsSince1970
        )
        return Accessory(
            id: id,
            name: name,
            link: major.link(added.state),
            battery: battery,
            lastSeen: Instant(millisecondsSince1970: added.milliseconds)
        )
    }

    func removeAccessory(_ id: AccessoryID) async throws { try control.removeAccessory(id.rawValue) }

    func legacyID(_ id: AnimalID) throws -> Int {
        guard let number = Int(id.rawValue) else {
            throw SanctuaryError(.invalidRequest, "the sandbox made no such animal", subject: id.rawValue)
        }
        return number
    }

    // MARK: Faults

    func expireCursors() async throws { control.expireCursors() }

    func expireAccessTokens() async throws { control.expireAccessTokens() }

    func inject(_ fault: VendorFault, on operation: SanctuaryOperation, times: Int) async throws {
        try stand.inject(fault, on: operation.sandboxOperation, times: times)
    }

    func clearFaults() async throws { try await stand.clearFaults() }

    func releaseHeld() async throws { try await stand.releaseHeld() }

    // MARK: Evidence

    func calls(of operation: SanctuaryOperation) async throws -> Int { stand.calls(of: operation.sandboxOperation) }

    func callers(of operation: SanctuaryOperation) async throws -> [String] {
        control.users(of: operation.sandboxOperation)
    }

    func waitForCalls(of operation: SanctuaryOperation, atLeast count: Int) async throws {
        try await stand.waitForCalls(of: operation.sandboxOperation, atLeast: count)
    }

    func subscribers(of stream: SanctuaryStream) async throws -> Int { control.subscribers(of: stream.channel) }

    func waitForSubscribers(of stream: SanctuaryStream, exactly count: Int) async throws {
        var polls = count
        if major == .v1, count > 0 {
            // All streams of one kind share one poll.
            polls = 1
            // Each subscriber makes two calls: for the events until now, and for those to come.
            if stream == .messages { await control.waitForCalls(of: .messageEvents, atLeast: 2 * count) }
        }
        await control.waitForSubscribers(of: stream.channel, exactly: polls)
        try Task.checkCancellation()
    }
}

extension ServiceProbe {
    func setGroup(_ group: String, of id: AnimalID) async throws { control.setKind(group, animal: try legacyID(id)) }

    func deleteMessage(_ id: MessageID) async throws { try control.deleteMessage(id.rawValue) }

    func secrets() async throws -> [String] {
        let headers = control.requests(of: .listOrders).flatMap(\.headers)
        let tokens = headers.filter { $0.name.lowercased() == "authorization" }
            .flatMap { $0.value.split(separator: " ").suffix(1).map(String.init) }
        return ["sandbox"] + control.signatures + tokens + shownRefreshTokens
    }

    func output() async throws -> [String] { issues.lines }
}

extension SanctuaryOperation {
    /// The operation's counterpart in the vendor's service.
    var sandboxOperation: MenagerieService.Operation {
        switch self {
        case .animals: .listAnimals
        case .animal: .getAnimal
        case .photo: .photo
        case .accessories: .listAccessories
        case .activate: .activateAccessory
        case .release: .releaseAccessory
        case .perform: .commandAccessory
        case .nickname: .nameAccessory
        case .accessoryEvents: .accessoryEvents
        case .orders: .listOrders
        case .order: .getOrder
        case .place: .placeOrder
        case .messages: .listMessages
        case .send: .sendMessage
        case .messageEvents: .messageEvents
        case .deliver: .deliverOutbox
        case .signIn: .signIn
        case .signOut: .revoke
        case .refresh: .refresh
        }
    }
}

extension SanctuaryStream {
    var channel: EventChannel {
        switch self {
        case .messages: .messages
        case .accessories: .accessories
        }
    }
}
#endif
