public import CofferdamContracts  // faults and quirks are its words
public import SanctuaryDomain  // the probe speaks of the domain's values

/// The vendor's side of an adapter under test: sets the stage, makes trouble, and counts what really arrived.
///
/// Every method returns only once the vendor has acknowledged it, so that no rule ever sleeps. The methods that wait are
/// bounded by the rule and heed cancellation.
public protocol SanctuaryProbe: DataProbe, ModelProbe {
    // MARK: The stage

    /// Back to a baseline: data, counters, faults, quirks, sessions and cursors as on the first day.
    func reset(_ baseline: SanctuaryBaseline) async throws

    /// Adds so many animals, and returns them as a perfect adapter shows them, oldest first: the order of the catalogue.
    func seedAnimals(_ count: Int) async throws -> [Animal]

    /// Adds one animal after all others.
    func addAnimal(_ fixture: AnimalFixture) async throws -> AnimalID

    /// Gives the animal a picture, or another one.
    func setPhoto(_ bytes: [UInt8], of id: AnimalID) async throws

    /// Another user writes a message; returns it as a perfect adapter shows it.
    @discardableResult
    func postMessage(author: String, text: String) async throws -> Message

    /// The accessory is near, with these values: a new one, or a change. It is not linked by that. Returns it as a perfect
    /// adapter shows it.
    @discardableResult
    func updateAccessory(_ id: AccessoryID, name: String, battery: Battery) async throws -> Accessory

    /// The accessory is out of reach.
    func removeAccessory(_ id: AccessoryID) async throws

    // MARK: Trouble

    /// Every cursor that has been handed out is worth nothing any more.
    func expireCursors() async throws

    /// Every access token that has been handed out has expired; refresh tokens live on.
    func expireAccessTokens() async throws

    /// The next so many calls of the operation go wrong.
    func inject(_ fault: VendorFault, on operation: SanctuaryOperation, times: Int) async throws

    /// Every session has ended: no access or refresh token that has been handed out is worth anything.
    func revokeSessions() async throws

    /// The vendor's SDK treats the callback of its next call so, or as it should (nil); one that does not call back leaves it.
    func setCallbackQuirk(_ quirk: CallbackQuirk?) async throws

    /// Lets something befall the streams that the vendor serves now.
    func befall(_ stream: SanctuaryStream, _ incident: StreamIncident) async throws

    /// Takes back the faults that have not happened yet, and answers the calls that are held.
    func clearFaults() async throws

    /// Answers the calls that are held.
    func releaseHeld() async throws

    /// Returns once exactly so many calls are held. One whose caller has gone is held no more.
    func waitForHeld(exactly count: Int) async throws

    // MARK: Evidence

    /// How many calls of the operation have arrived since the reset, refused and faulty ones too. What an adapter calls
    /// beside the operation itself (resolving an id, signing an address) is not counted.
    func calls(of operation: SanctuaryOperation) async throws -> Int

    /// As whom the calls of the operation have arrived since the reset that bore a user's token, expired or not: the users'
    /// ids, in the calls' order.
    func callers(of operation: SanctuaryOperation) async throws -> [String]

    /// Returns once so many have arrived.
    func waitForCalls(of operation: SanctuaryOperation, atLeast count: Int) async throws

    /// Returns once the adapter has dropped so many events of the stream for subscribers who were too far behind.
    func waitForDrops(of stream: SanctuaryStream, atLeast count: Int) async throws

    /// How many subscriptions the vendor is serving now.
    func subscribers(of stream: SanctuaryStream) async throws -> Int

    /// Returns once there are exactly so many.
    func waitForSubscribers(of stream: SanctuaryStream, exactly count: Int) async throws
}

/// A state of the vendor's data that a rule begins with.
public enum SanctuaryBaseline: String, Sendable, Hashable {
    /// Animals, accessories, orders and messages, as the sandbox has them on the first day.
    case seeded
    /// The users, and nothing else.
    case empty
}

/// What the vendor is asked for, whatever the calls are named.
public enum SanctuaryOperation: String, Sendable, Hashable, CaseIterable {
    case animals, animal, photo
    case accessories, activate, release, perform, nickname, accessoryEvents
    case orders, order, place
    case messages, send, messageEvents
    case signIn, refresh
}

/// The streams that the vendor serves.
public enum SanctuaryStream: String, Sendable, Hashable, CaseIterable {
    case messages, accessories
}
