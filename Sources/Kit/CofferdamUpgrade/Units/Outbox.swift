/// What a capability has taken from its callers on one side, and not yet sent: before a unit crosses over it is sent, or handed
/// on, or said to be lost.
public protocol Outbox: Sendable {
    /// What waits now, the oldest first.
    func waiting() async throws -> [OutboxEntry]

    /// Sends what waits, and returns when nothing does. It is cancelled when its time is over; whatever has not been sent then
    /// must still be among ``waiting()``.
    func drain() async throws

    /// Hands entries on to the other side, which will send them under the same keys; they no longer wait here then.
    func export(_ keys: [String]) async throws

    /// Gives entries up.
    func discard(_ keys: [String]) async throws
}

/// Something that waits to be sent.
public struct OutboxEntry: Sendable, Hashable, Codable {
    /// Under which the vendor takes it for one and the same, however often it is sent.
    public var key: String
    /// Whether the other side can send it under the same key.
    public var canBeExported: Bool
    /// What it is, for people; nothing that is secret.
    public var summary: String

    public init(key: String, canBeExported: Bool, summary: String) {
        self.key = key
        self.canBeExported = canBeExported
        self.summary = summary
    }
}

/// What came of a unit's wish to cross over, and of what waited in its outbox.
public struct Crossing: Sendable, Hashable {
    public var outcome: Outcome
    /// How many entries were sent before.
    public var sent = 0
    /// What the other side has taken on.
    public var exported: [OutboxEntry] = []
    /// What was given up, after somebody had agreed; where ``outcome`` is ``Outcome/wouldLose``, what would be.
    public var lost: [OutboxEntry] = []
    /// What still waits where it was: it came too late to be agreed on, or could not be handed on.
    public var kept: [OutboxEntry] = []

    public enum Outcome: String, Sendable, Hashable, Codable {
        /// The unit is where the stage wants it.
        case crossed
        /// Calls of it were under way, or the stage wants it elsewhere now; it is where it was, and so is its outbox.
        case busy
        /// Something would be lost, and nobody agreed; it is where it was.
        case wouldLose
    }
}
