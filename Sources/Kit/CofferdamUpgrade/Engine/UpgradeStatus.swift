/// Where one instance of an engine is, for people.
public struct UpgradeStatus: Sendable, Hashable, Codable {
    public var capability: String
    /// The stage that is followed here.
    public var stage: Stage
    /// What is known of the store; nil if nothing is there, or it was never read.
    public var stored: UpgradeState?
    public var kill: KillSwitch?
    /// Of what is known of the store.
    public var revision: Int64
    /// How long ago the store was read, in whole seconds; nil if nobody ever did.
    public var ageSeconds: Int?
    /// Whether anything may be raised from here: the store was read lately, and tells no older state than before.
    public var mayRise: Bool
    /// The store tells an older state than before: it is not followed.
    public var isSetBack: Bool
    /// What was ordered here and has not reached the store.
    public var orders: [UpgradeRequest]
    /// Why ``stage`` is not the stored one, and what fails; empty if all is well.
    public var notes: [String]
    /// What the gate said last, in this epoch.
    public var verdict: GateVerdict?
}

/// What became of a decision.
public enum DecisionOutcome: Sendable, Hashable {
    /// There is nothing to do.
    case held
    case carriedOut(StoredUpgrade)
    /// The rules do not allow it, or somebody was quicker.
    case refused(UpgradeRefusal)
    /// A person is to take that step.
    case leftToPerson(String)
    /// The store could not be asked: this instance has gone back, and the others will when it can.
    case orderedHere
    /// The store could not be asked, and nothing was done.
    case failed(String)
}

/// Hears what an ``UpgradeEngine`` does.
public protocol UpgradeObserver: Sendable {
    /// The gate has decided.
    func decided(_ decision: Decision, _ outcome: DecisionOutcome, of capability: String)
    /// Another stage is followed here, or for another reason.
    func followed(_ status: UpgradeStatus)
}
