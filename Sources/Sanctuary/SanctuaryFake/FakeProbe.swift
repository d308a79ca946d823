import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// The vendor's side of the fake.
struct FakeProbe: SanctuaryProbe {
    let world: FakeWorld

    func reset(_ baseline: SanctuaryBaseline) async throws { world.reset(baseline) }

    func seedAnimals(_ count: Int) async throws -> [Animal] {
        let groups = ["mammal", "bird", "reptile", "fish", "other"]
        return world.update { state in
            for index in 0..<max(0, count) {
                let fixture = AnimalFixture(
                    name: "animal \(index)",
                    group: groups[index % groups.count],
                    legs: index % 3 == 0 ? nil : index % 5,
                    heads: 1
                )
                state.add(fixture)
            }
            return state.animals.suffix(max(0, count)).map(\.animal)
        }
    }

    func addAnimal(_ fixture: AnimalFixture) async throws -> AnimalID { world.update { $0.add(fixture) } }

    func setPhoto(_ photo: Photo, of id: AnimalID) async throws {
        try world.update { state throws(SanctuaryError) in
            try state.checkAnimal(id)
            state.photos[id] = photo
        }
    }

    func addUser(_ id: String, displayName: String, currency: String) async throws {
        let known = Currency(currency)
        let account = Account(id: id, displayName: displayName, currency: known ?? .eur)
        world.update { $0.users[id] = FakeUser(account: account, hasCurrency: known != nil) }
    }

    func setNickname(_ nickname: String, of id: AccessoryID) async throws {
        try world.update { state throws(SanctuaryError) in try state.setNickname(nickname, of: id) }
    }

    func postMessage(author: String, text: String, sentAt: Instant?) async throws -> Message {
        world.post(text, by: author, at: sentAt)
    }

    func updateAccessory(
        _ id: AccessoryID,
        name: String,
        battery: Battery?,
        link: Accessory.Link?,
        lastSeen: Instant?
    ) async throws -> Accessory {
        let seen = lastSeen ?? world.now()
        return world.publish(accessories: { state in
            let link = link ?? state.accessories[id]?.link ?? .available
            let accessory = Accessory(id: id, name: name, link: link, battery: battery, lastSeen: seen)
            state.accessories[id] = accessory
            return (accessory, [.changed(accessory)])
        })
    }

    func removeAccessory(_ id: AccessoryID) async throws {
        try world.publish(accessories: { state throws(SanctuaryError) in
            guard state.accessories.removeValue(forKey: id) != nil else {
                throw SanctuaryError(.notFound, "no such accessory", subject: id.rawValue)
            }
            return ((), [.removed(id)])
        })
    }

    func expireCursors() async throws { world.update { $0.cursorEpoch += 1 } }

    func expireAccessTokens() async throws { world.update { $0.accessTokens = [:] } }

    func inject(_ fault: VendorFault, on operation: SanctuaryOperation, times: Int) async throws {
        guard times > 0 else { return }
        world.update { state in
            state.faults[operation, default: []].append(FakeState.PendingFault(fault: fault, times: times))
        }
    }

    func clearFaults() async throws {
        world.update { $0.faults = [:] }
        world.release()
    }

    func releaseHeld() async throws { world.release() }

    func calls(of operation: SanctuaryOperation) async throws -> Int {
        world.update { $0.calls[operation] ?? 0 }
    }

    func callers(of operation: SanctuaryOperation) async throws -> [String] {
        world.update { $0.callers[operation] ?? [] }
    }

    func waitForCalls(of operation: SanctuaryOperation, atLeast count: Int) async throws {
        try await world.wait { state, _ in (state.calls[operation] ?? 0) >= count }
    }

    func subscribers(of stream: SanctuaryStream) async throws -> Int { world.subscribers.count(of: stream) }

    func waitForSubscribers(of stream: SanctuaryStream, exactly count: Int) async throws {
        try await world.wait { _, subscribers in subscribers.count(of: stream) == count }
    }
}

extension FakeState {
    @discardableResult
    mutating func add(_ fixture: AnimalFixture) -> AnimalID {
        let record = FakeRecord(sequence: nextSequence(), value: fixture)
        animals.append(record)
        return record.id
    }

    fileprivate func checkAnimal(_ id: AnimalID) throws(SanctuaryError) {
        guard animals.contains(where: { $0.id == id }) else {
            throw SanctuaryError(.notFound, "no such animal", subject: id.rawValue)
        }
    }
}

extension FakeProbe {
    func setGroup(_ group: String, of id: AnimalID) async throws {
        try world.update { state throws(SanctuaryError) in
            guard let index = state.animals.firstIndex(where: { $0.id == id }) else {
                throw SanctuaryError(.notFound, "no such animal", subject: id.rawValue)
            }
            state.animals[index].value.group = group
        }
    }

    func deleteMessage(_ id: MessageID) async throws {
        try world.publish(messages: { state throws(SanctuaryError) in
            guard let index = state.messages.firstIndex(where: { $0.value.id == id }) else {
                throw SanctuaryError(.notFound, "no such message", subject: id.rawValue)
            }
            state.messages.remove(at: index)
            return ((), [.deleted(id)])
        })
    }

    func secrets() async throws -> [String] {
        [FakeUser.password] + world.update(\.givenTokens)
    }

    func output() async throws -> [String] { world.update(\.output) }
}

extension FakeProbe {
    func makeOdd(_ record: SanctuaryRecord, _ oddity: PayloadOddity) async throws {
        world.update { $0.oddities[record] = oddity }
    }

    func addOrder(_ lines: [OrderLine], of user: String, status: OrderStatus, placedAt: Instant?) async throws -> Order
    {
        let moment = placedAt ?? world.now()
        return world.update { state in
            let sequence = state.nextSequence()
            let order = Order(id: OrderID("o-\(sequence)"), status: status, lines: lines, placedAt: moment)
            let kept = FakeOrder(order: order, user: user, key: "added-\(sequence)")
            state.orders.append(FakeRecord(sequence: sequence, value: kept))
            return order
        }
    }

    func linesHeld(of order: OrderID) async throws -> [OrderLine] {
        guard let held = world.update({ $0.orders.first { $0.value.order.id == order } }) else {
            throw SanctuaryError(.notFound, "no such order", subject: order.rawValue)
        }
        return held.value.order.lines
    }

    func textHeld(of message: MessageID) async throws -> String {
        guard let held = world.update({ $0.messages.first { $0.value.id == message } }) else {
            throw SanctuaryError(.notFound, "no such message", subject: message.rawValue)
        }
        return held.value.text
    }

    func contentsHeld(of operation: SanctuaryOperation, by user: String) async throws -> [String] {
        world.update { state in
            operation == .place
                ? state.orders.filter { $0.value.user == user }.map { $0.value.order.lines.map(\.article).joined() }
                : state.messages.filter { $0.value.author == user }.map(\.value.text)
        }
    }

    func nicknameHeld(of accessory: AccessoryID) async throws -> String {
        world.update { $0.nicknames[accessory] ?? "" }
    }

    func seedMessages(_ count: Int) async throws -> [Message] {
        (0..<max(0, count)).map { world.post("message \($0)", by: "kenji") }
    }

    func setPagingQuirk(_ quirk: PagingQuirk?, on operation: SanctuaryOperation) async throws {
        world.update { $0.quirks[operation] = quirk }
    }

    /// Returns an empty set: the fake writes no files.
    func files() async throws -> Set<String> { [] }

    /// Returns an empty list: nothing but the ports' values reaches this vendor.
    func strayFields(of operation: SanctuaryOperation) async throws -> [String] { [] }

    func requestedGroups() async throws -> [String] { world.update { $0.requestedGroups } }

    func photoTraffic() async throws -> (validators: Int, bytes: Int) { world.update { $0.photoTraffic } }
}

extension FakeProbe {
    func revokeSessions() async throws {
        world.update { state in
            state.accessTokens = [:]
            state.refreshTokens = [:]
        }
    }

    func setCallbackQuirk(_ quirk: CallbackQuirk?) async throws { world.update { $0.callbackQuirk = quirk } }

    func simulate(_ incident: StreamIncident, on stream: SanctuaryStream) async throws {
        switch incident {
        case .heartbeat: break
        case .end: world.endStreams(stream, throwing: SanctuaryError(.unreachable, "the vendor ended its event stream"))
        case .truncation: world.endStreams(stream, throwing: SanctuaryError(.truncated, "an event ended early"))
        case .loss: world.endStreams(stream, throwing: SanctuaryError(.unreachable, "the connection was lost"))
        }
    }

    func waitForDrops(of stream: SanctuaryStream, atLeast count: Int) async throws {
        try await world.wait { state, _ in (state.drops[stream] ?? 0) >= count }
    }

    func waitForHeld(exactly count: Int) async throws { try await world.wait { state, _ in state.held == count } }
}
