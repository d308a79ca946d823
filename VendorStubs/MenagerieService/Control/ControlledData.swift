extension SandboxControl {
    /// An animal's ids.
    public struct AnimalIDs: Sendable, Hashable {
        /// v1's.
        public let legacyID: Int
        /// v2's, in the letter case that v2 answers with.
        public let uuid: String
    }

    /// A request to change what is not there, or into what cannot be.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    // MARK: Animals

    /// How many animals there are.
    public var animalCount: Int { sandbox.world.read { $0.animals.animals.count } }

    /// Adds animals `animal-1`, `animal-2` …, of all five kinds in turn, with four legs and one head; a million take no
    /// more memory than one.
    public func seedAnimals(_ count: Int) { sandbox.world.update { $0.animals.addMany(count) } }

    /// Adds an animal at the end. Any text will do as a kind; nil legs or heads are not recorded.
    @discardableResult
    public func addAnimal(
        name: String,
        kind: String,
        legs: Int? = nil,
        heads: Int? = nil,
        germanName: String? = nil
    ) -> AnimalIDs {
        let entry = AnimalStore.Entry(name: name, germanName: germanName, kind: kind, legs: legs, heads: heads)
        let animal = sandbox.world.update { $0.animals.add(entry) }
        return AnimalIDs(legacyID: animal.legacyID, uuid: animal.uuid)
    }

    /// The ids of an animal by v1's.
    public func ids(ofAnimal legacyID: Int) -> AnimalIDs? {
        let animal = sandbox.world.read { $0.animals.animal(legacyID: legacyID) }
        return animal.map { AnimalIDs(legacyID: $0.legacyID, uuid: $0.uuid) }
    }

    /// Puts a picture in the place of the drawn one.
    public func setPhoto(_ bytes: [UInt8], contentType: String, animal legacyID: Int) {
        sandbox.world.update { $0.animals.pictures[legacyID] = Picture(bytes: bytes, contentType: contentType) }
    }

    /// Spoils an animal's record as both APIs show it, beside what is spoilt already.
    public func corrupt(animal legacyID: Int, _ corruption: Corruption) {
        sandbox.world.update { $0.animals.corruptions[legacyID, default: []].append(corruption) }
    }

    // MARK: Lists of v2

    /// Gives a list of v2 a quirk, or none. Nothing happens on v1.
    public func setPagingQuirk(_ quirk: PagingQuirk?, on operation: Operation = .listAnimals) {
        sandbox.world.update { $0.paging.quirks[operation] = quirk }
    }

    /// Lets the cursors given so far expire (`invalid_cursor`).
    public func expireCursors() { sandbox.world.update { $0.paging.generation += 1 } }

    // MARK: Orders

    /// How many orders a user has.
    public func orderCount(of user: String) -> Int {
        sandbox.world.read { world in world.orders.orders.count { $0.userID == user } }
    }

    /// Changes an order's status as the platform's own staff would.
    ///
    /// - Parameter status: `pending`, `authorized`, `captured`, `shipped`, `cancelled` or `partiallyRefunded`.
    public func setStatus(_ status: String, order id: String) throws {
        guard let status = Order.Status(rawValue: status) else {
            throw Failure(description: "no status of an order: \(status)")
        }
        try failing { world throws(Refusal) in
            guard world.orders.setStatus(status, of: id) else { throw Refusal(.notFound, "no order of the id \(id)") }
        }
    }

    // MARK: Messages

    /// Adds a message as if another client had sent it now, and gives its id.
    @discardableResult
    public func postMessage(author: String, text: String) throws -> String {
        try failing { world throws(Refusal) in
            try world.messages.add(author: author, text: text, at: world.now).id
        }
    }

    /// Deletes a message.
    public func deleteMessage(_ id: String) throws {
        try failing { world throws(Refusal) in
            guard world.messages.delete(id) else { throw Refusal(.notFound, "no message of the id \(id)") }
        }
    }

    /// Holds back what listeners are told of messages, so that a sender's answer comes first; let go, they hear all of it.
    public func holdBroadcasts(_ isHeld: Bool) { sandbox.world.update { $0.messages.log.isHeld = isHeld } }

    /// Keeps v2's senders waiting for their answer, so that the broadcast comes first.
    public func holdAnswersToSenders(_ isHeld: Bool) { sandbox.world.update { $0.messages.holdsAnswers = isHeld } }

    /// Returns when there is a message of that author and text, or when the task is cancelled.
    public func waitForMessages(of author: String, text: String) async {
        // The only error is the cancellation of who waits: that ends the waiting, too.
        do {
            try await sandbox.world.wait { world in
                world.messages.messages.contains { $0.author == author && $0.text == text }
            }
        } catch {}
    }

    // MARK: Sessions

    /// How many of v1's tokens have been exchanged for a session of v2.
    public var exchangedTokens: Int { sandbox.world.read { $0.sessions.exchangedTokens.count } }

    /// The signatures of addresses that were handed out.
    public var signatures: [String] { sandbox.world.read { $0.sessions.signatures } }

    /// The ids of the installations that the platform knows.
    public var devices: Set<String> { sandbox.world.read { $0.devices } }

    // MARK: Accessories

    /// Changes an accessory and tells the listeners. If it becomes active, the active one stays linked.
    ///
    /// - Parameter battery: 0 to 100.
    public func updateAccessory(_ id: String, battery: Int? = nil, state: AccessoryState? = nil) throws {
        try failing { world throws(Refusal) in
            if state == .active { _ = try world.accessories.makeActive(id, at: world.now) }
            let moment = world.now
            try world.accessories.change(id) { accessory in
                accessory.battery = battery.map { min(max($0, 0), 100) } ?? accessory.battery
                accessory.state = state ?? accessory.state
                accessory.lastSeen = moment
            }
        }
    }

    /// Changes an accessory's battery so many times at once: 0, 1 … 100, 0, 1 …
    public func burst(_ id: String, count: Int) throws {
        try failing { world throws(Refusal) in
            for index in 0..<max(0, count) { try world.accessories.change(id) { $0.battery = index % 101 } }
        }
    }

    /// Takes an accessory away.
    public func removeAccessory(_ id: String) throws {
        try failing { world throws(Refusal) in try world.accessories.remove(id) }
    }

    private func failing<Result: Sendable>(_ change: (inout World) throws(Refusal) -> Result) throws -> Result {
        do {
            return try sandbox.world.update(change)
        } catch {
            throw Failure(description: error.message)
        }
    }
}
