/// The status of one engine, for people.
public struct UpgradeStatus: Sendable, Hashable, Codable {
    /// The name of the capability.
    public var capability: String
    /// The stage that is followed here.
    public var stage: Stage
    /// The stored state; nil if there is none or the store was never read.
    public var stored: UpgradeState?
    /// The kill switch; nil if none is set.
    public var kill: KillSwitch?
    /// The revision of the stored state.
    var revision: Int64
    /// The seconds since the store was last read; nil if it never was.
    public var ageSeconds: Int?
    /// Whether this instance may promote: the store was read recently and was not set back, and neither an unsent
    /// request nor a local kill switch prevents it.
    public var canPromote: Bool
    /// Whether the store was set back; if so, it is not followed.
    public var isSetBack: Bool
    /// Requests that were made here and have not reached the store.
    public var pendingRequests: [UpgradeRequest]
    /// Why ``stage`` is not the stored one, and current errors; empty if all is well.
    public var notes: [String]
    /// The last verdict in this epoch.
    public var verdict: GateVerdict?
}

/// The outcome of a decision.
public enum DecisionOutcome: Sendable, Hashable {
    /// The verdict was to hold.
    case held
    case carriedOut(StoredUpgrade)
    /// The rules refused the change, or another change came first.
    case refused(UpgradeRefusal)
    /// A person must take the step.
    case leftToPerson(String)
    /// The store was unreachable: this instance went back, and the others follow when the store is reachable again.
    case requestedHere
    /// The store was unreachable, and nothing was done.
    case failed(String)
}

/// Observes an ``UpgradeEngine``.
public protocol UpgradeObserver: Sendable {
    /// Called when the gate has decided.
    func decided(_ decision: Decision, _ outcome: DecisionOutcome, of capability: String)
    /// Called when this instance follows another stage, or the same stage for another reason.
    func followed(_ status: UpgradeStatus)
}
