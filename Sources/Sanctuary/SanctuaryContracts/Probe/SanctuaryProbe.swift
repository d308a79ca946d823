public import CofferdamContracts  // faults and quirks are its types
public import SanctuaryDomain  // the probe's methods use the domain's values

/// The vendor's side of an adapter under test: it sets up data, injects faults, and counts the calls that arrive.
///
/// Every method returns only after the vendor has acknowledged it, so that rules never sleep. Waiting methods support
/// cancellation, and the rule limits their time.
public protocol SanctuaryProbe: DataProbe, ModelProbe {
    // MARK: Setup

    /// Resets data, counters, faults, quirks, sessions and cursors to a baseline.
    func reset(_ baseline: SanctuaryBaseline) async throws

    /// Adds animals, and returns them as a perfect adapter shows them, oldest first, as in the catalogue.
    func seedAnimals(_ count: Int) async throws -> [Animal]

    /// Adds one animal after all others.
    func addAnimal(_ fixture: AnimalFixture) async throws -> AnimalID

    /// Sets or replaces the animal's picture.
    func setPhoto(_ photo: Photo, of id: AnimalID) async throws

    /// Adds a user who may sign in, with the password of the others, or changes one.
    ///
    /// - Parameter currency: the code that the vendor tells, whether or not it is one.
    func addUser(_ id: String, displayName: String, currency: String) async throws

    /// Gives an accessory a nickname, as another device of the user would.
    func setNickname(_ nickname: String, of id: AccessoryID) async throws

    /// Adds a message by another user, and returns it as a perfect adapter shows it.
    ///
    /// - Parameter sentAt: nil for now.
    func postMessage(author: String, text: String, sentAt: Instant?) async throws -> Message

    /// Adds or changes an accessory in reach. Returns it as a perfect adapter shows it.
    ///
    /// - Parameters:
    ///   - battery: nil for more than a whole battery.
    ///   - link: nil to leave it: a new one is not linked. No other accessory's link changes.
    ///   - lastSeen: nil for now.
    func updateAccessory(
        _ id: AccessoryID,
        name: String,
        battery: Battery?,
        link: Accessory.Link?,
        lastSeen: Instant?
    ) async throws -> Accessory

    /// Moves the accessory out of reach.
    func removeAccessory(_ id: AccessoryID) async throws

    // MARK: Faults

    /// Invalidates every cursor issued so far.
    func expireCursors() async throws

    /// Expires every access token issued so far. Refresh tokens stay valid.
    func expireAccessTokens() async throws

    /// Makes the next `times` calls of the operation fail.
    func inject(_ fault: VendorFault, on operation: SanctuaryOperation, times: Int) async throws

    /// Ends every session: all access and refresh tokens issued so far are invalid.
    func revokeSessions() async throws

    /// Makes the vendor's SDK mishandle the callback of its next call; nil restores it. An SDK without callbacks
    /// ignores this.
    func setCallbackQuirk(_ quirk: CallbackQuirk?) async throws

    /// Applies an incident to the streams that the vendor serves now.
    func simulate(_ incident: StreamIncident, on stream: SanctuaryStream) async throws

    /// Removes the injected faults that have not occurred yet, and answers held calls.
    func clearFaults() async throws

    /// Answers held calls.
    func releaseHeld() async throws

    /// Waits until exactly `count` calls are held. A call whose caller has gone is no longer held.
    func waitForHeld(exactly count: Int) async throws

    // MARK: Evidence

    /// Returns how many calls of the operation have arrived since the reset, including refused and faulty ones.
    /// Auxiliary calls of an adapter, such as resolving an id or signing a URL, are not counted.
    func calls(of operation: SanctuaryOperation) async throws -> Int

    /// Returns the user ids of the operation's calls since the reset that carried a user's token, expired or not, in
    /// the order of the calls.
    func callers(of operation: SanctuaryOperation) async throws -> [String]

    /// Waits until at least `count` calls of the operation have arrived.
    func waitForCalls(of operation: SanctuaryOperation, atLeast count: Int) async throws

    /// Waits until the adapter has dropped at least `count` events of the stream for slow subscribers.
    func waitForDrops(of stream: SanctuaryStream, atLeast count: Int) async throws

    /// Returns the number of subscriptions that the vendor serves now.
    func subscribers(of stream: SanctuaryStream) async throws -> Int

    /// Waits until the vendor serves exactly `count` subscriptions.
    func waitForSubscribers(of stream: SanctuaryStream, exactly count: Int) async throws
}

extension SanctuaryProbe {
    /// Adds a message by another user, sent now.
    @discardableResult
    public func postMessage(author: String, text: String) async throws -> Message {
        try await postMessage(author: author, text: text, sentAt: nil)
    }

    /// Sets or replaces the animal's picture, a bitmap.
    public func setPhoto(_ bytes: [UInt8], of id: AnimalID) async throws {
        try await setPhoto(Photo(bytes: bytes, mediaType: "image/bmp"), of: id)
    }

    /// Adds an accessory that is seen now and not linked, or changes one.
    @discardableResult
    public func updateAccessory(_ id: AccessoryID, name: String, battery: Battery?) async throws -> Accessory {
        try await updateAccessory(id, name: name, battery: battery, link: nil, lastSeen: nil)
    }
}

/// An initial state of the vendor's data.
public enum SanctuaryBaseline: String, Sendable, Hashable {
    /// The sandbox's initial animals, accessories, orders and messages.
    case seeded
    /// Only the users.
    case empty
}

/// The vendor's operations, independent of the names of its calls.
public enum SanctuaryOperation: String, Sendable, Hashable, CaseIterable {
    case animals, animal, photo
    case accessories, activate, release, perform, nickname, accessoryEvents
    case orders, order, place
    case messages, send, messageEvents
    /// Sending the messages that were kept, at a vendor with a call of its own for it.
    case deliver
    case signIn, signOut, refresh
}

/// The streams that the vendor serves.
public enum SanctuaryStream: String, Sendable, Hashable, CaseIterable {
    case messages, accessories
}
