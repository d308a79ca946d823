#if Sandbox
extension SandboxControl {
    /// An animal's ids.
    public struct AnimalIDs: Sendable, Hashable {
        /// The id of v1.
        public let legacyID: Int
        /// The id of v2, in the letter case that v2 uses.
        public let uuid: String
    }

    /// An error for a change to a missing record, or to an invalid value.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    // MARK: Animals

    /// The number of animals.
    public var animalCount: Int { sandbox.world.read { $0.animals.animals.count } }

    /// Adds animals `animal-1`, `animal-2` …, cycling through the five kinds, each with four legs and one head; a
    /// million use no more memory than one.
    public func seedAnimals(_ count: Int) { sandbox.world.update { $0.animals.addMany(count) } }

    /// Adds an animal at the end. Any text is allowed as a kind; nil legs or heads mean not recorded.
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

    /// Returns the ids of the animal with an id of v1.
    public func ids(ofAnimal legacyID: Int) -> AnimalIDs? {
        let animal = sandbox.world.read { $0.animals.animal(legacyID: legacyID) }
        return animal.map { AnimalIDs(legacyID: $0.legacyID, uuid: $0.uuid) }
    }

    /// Replaces an animal's generated picture.
    public func setPhoto(_ bytes: [UInt8], contentType: String, animal legacyID: Int) {
        sandbox.world.update { $0.animals.pictures[legacyID] = Picture(bytes: bytes, contentType: contentType) }
    }

    /// Corrupts an animal's record in both APIs, in addition to earlier corruptions.
    public func corrupt(animal legacyID: Int, _ corruption: Corruption) {
        sandbox.world.update { $0.animals.corruptions[legacyID, default: []].append(corruption) }
    }

    // MARK: Lists of v2

    /// Sets or clears a quirk of a list of v2. It does not affect v1.
    public func setPagingQuirk(_ quirk: PagingQuirk?, on operation: Operation = .listAnimals) {
        sandbox.world.update { $0.paging.quirks[operation] = quirk }
    }

    /// Expires all cursors issued so far (`invalid_cursor`).
    public func expireCursors() { sandbox.world.update { $0.paging.generation += 1 } }

    // MARK: Orders

    /// Returns the number of a user's orders.
    public func orderCount(of user: String) -> Int {
        sandbox.world.read { world in world.orders.orders.count { $0.userID == user } }
    }

    /// Changes an order's status, as the platform's staff would.
    ///
    /// - Parameter status: `pending`, `authorized`, `captured`, `shipped`, `cancelled` or `partiallyRefunded`.
    public func setStatus(_ status: String, order id: String) throws {
        guard let status = Order.Status(rawValue: status) else {
            throw Failure(description: "not an order's status: \(status)")
        }
        try failing { world throws(Refusal) in
            guard world.orders.setStatus(status, of: id) else { throw Refusal(.notFound, "no order has the id \(id)") }
        }
    }

    // MARK: Messages

    /// Adds a message as if another client had sent it now, and returns its id.
    @discardableResult
    public func postMessage(author: String, text: String) throws -> String {
        try failing { world throws(Refusal) in
            try world.messages.add(author: author, text: text, at: world.now).id
        }
    }

    /// Deletes a message.
    public func deleteMessage(_ id: String) throws {
        try failing { world throws(Refusal) in
            guard world.messages.delete(id) else { throw Refusal(.notFound, "no message has the id \(id)") }
        }
    }

    /// Holds back or releases message events, so that a sender's answer arrives before the events; once released,
    /// listeners receive all of them.
    public func holdBroadcasts(_ isHeld: Bool) { sandbox.world.update { $0.messages.log.isHeld = isHeld } }

    /// Holds back v2's answers to senders, so that the event arrives first.
    public func holdAnswersToSenders(_ isHeld: Bool) { sandbox.world.update { $0.messages.holdsAnswers = isHeld } }

    /// Waits until there is a message with that author and text, or the task is cancelled.
    public func waitForMessages(of author: String, text: String) async {
        // The only error is cancellation, which ends the wait as well.
        do {
            try await sandbox.world.wait { world in
                world.messages.messages.contains { $0.author == author && $0.text == text }
            }
        } catch {}
    }

    // MARK: Sessions

    /// The number of v1 tokens that were exchanged for a session of v2.
    public var exchangedTokens: Int { sandbox.world.read { $0.sessions.exchangedTokens.count } }

    /// The signatures of the URLs issued.
    public var signatures: [String] { sandbox.world.read { $0.sessions.signatures } }

    /// The ids of the installations known to the platform.
    public var devices: Set<String> { sandbox.world.read { $0.devices } }

    /// Adds a user with the password of the others, or changes one, until the service stops.
    ///
    /// - Parameter currency: the code that both APIs tell; prices are in euros if it is none of the platform's.
    public func addUser(_ id: String, displayName: String, currency: String) {
        let known = Currency(rawValue: currency)
        let user = User(id: id, displayName: displayName, currency: known ?? .eur, toldCurrency: currency)
        sandbox.world.update { $0.sessions.added[id] = user }
    }

    // MARK: Accessories

    /// Gives an accessory a nickname.
    public func setNickname(_ nickname: String, of id: String) throws {
        try failing { world throws(Refusal) in _ = try world.accessories.change(id) { $0.nickname = nickname } }
    }

    /// The nickname of an accessory; "" if it has none.
    public func nickname(of id: String) throws -> String {
        try failing { world throws(Refusal) in try world.accessories.existing(id).nickname }
    }

    /// Changes an accessory and notifies listeners. If it becomes active, the previously active one stays linked.
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

    /// Changes an accessory's battery `count` times at once: 0, 1 … 100, 0, 1 …
    public func burst(_ id: String, count: Int) throws {
        try failing { world throws(Refusal) in
            for index in 0..<max(0, count) { try world.accessories.change(id) { $0.battery = index % 101 } }
        }
    }

    /// Removes an accessory.
    public func removeAccessory(_ id: String) throws {
        try failing { world throws(Refusal) in try world.accessories.remove(id) }
    }

    /// Loses the link to an accessory; the platform seeks it again until ``restoreLink(of:)`` is called.
    public func loseLink(of id: String) throws { try updateAccessory(id, state: .reconnecting) }

    /// Restores a lost link: an accessory that was active becomes active again, even if another one is active now.
    public func restoreLink(of id: String) throws {
        do {
            try sandbox.world.update { world throws(Refusal) in
                try world.accessories.restoreLink(of: id, at: world.now)
            }
        } catch {
            throw Failure(description: error.message)
        }
    }

    /// The commands that an accessory received, in order.
    public func commands(of id: String) -> [String] { sandbox.world.read { $0.accessories.commands[id] ?? [] } }

    /// Changes an animal's kind to any text; has no effect if there is no such animal.
    public func setKind(_ kind: String, animal legacyID: Int) {
        sandbox.world.update { $0.animals.setKind(kind, of: legacyID) }
    }

    /// Adds an accessory in reach that is not linked, or changes an existing one, and notifies listeners.
    ///
    /// - Parameters:
    ///   - battery: in percent; it may be more than 100.
    ///   - state: the state of its link; nil to leave it. No other accessory's state changes.
    ///   - lastSeen: in milliseconds since 1970; nil for now.
    /// - Returns: the accessory's state, and the time in milliseconds since 1970.
    @discardableResult
    public func putAccessory(
        _ id: String,
        name: String,
        battery: Int,
        state: AccessoryState? = nil,
        lastSeen: Int64? = nil
    ) -> (state: AccessoryState, milliseconds: Int64) {
        sandbox.world.update { world in
            let seen = lastSeen.map { Timestamp(milliseconds: $0) } ?? world.now
            var accessory =
                world.accessories.accessory(id)
                ?? Accessory(id: id, name: name, nickname: "", state: .available, battery: battery, lastSeen: seen)
            accessory.name = name
            accessory.state = state ?? accessory.state
            accessory.battery = battery
            accessory.lastSeen = seen
            world.accessories.put(accessory)
            return (accessory.state, seen.milliseconds)
        }
    }

    /// Returns the bytes of an animal's picture as both APIs serve them; nil if there is no such animal.
    public func photo(ofAnimal legacyID: Int) -> [UInt8]? {
        sandbox.world.read { world in
            world.animals.animal(legacyID: legacyID).map { world.animals.picture(of: $0).bytes }
        }
    }

    /// The number of picture bytes sent by both APIs; an unmodified picture (304) counts as 0.
    public var pictureBytesSent: Int { sandbox.world.read { $0.animals.pictureBytesSent } }

    private func failing<Result: Sendable>(_ change: (inout World) throws(Refusal) -> Result) throws -> Result {
        do {
            return try sandbox.world.update(change)
        } catch {
            throw Failure(description: error.message)
        }
    }
}
#endif
