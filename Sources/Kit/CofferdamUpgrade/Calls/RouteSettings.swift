import Cofferdam

/// What a capability's routes have in common.
public struct RouteSettings: Sendable {
    /// The capability's name: "catalogue".
    public var capability: String
    public var dataOwnership: DataOwnership
    public var failures: ErrorClassifier
    /// Whether one user is signed in on both sides. Asked before the other side answers an operation of a user's where the first
    /// has failed; nil: always.
    public var isSameUser: (@Sendable () async -> Bool)?
    /// Where calls are compared: each with its own caller's task-locals and priority, after the caller has its answer. What must not
    /// reach the other side, or not outlive the call, is not to be kept in a task-local: see ``ShadowQueue``.
    public var shadowQueue: ShadowQueue
    /// How long a call may take in the shadow, with the opening of what it asks.
    public var shadowDeadline: Duration
    /// What may differ. An ``EvidenceRecorder`` of the same capability is given the same.
    public var expectations: Expectations
    /// What keeps calls from a side that fails; nil for none. An ``EvidenceRecorder`` of the same capability is given the same.
    public var breakers: Breakers?
    /// Where the candidate's calls under way are noted, so that a crash of its is known afterwards; nil for nowhere.
    public var calls: (any CandidateCallLog)?
    /// Who has written to the candidate's own data; asked where ``dataOwnership`` is ``DataOwnership/separate``. By default it forgets with
    /// the process.
    public var memory: any UnitMemory
    public var observer: (any RouteObserver)?
    public var clock: any Clock<Duration>
    public var executor: (any TaskExecutor)?

    public init(
        capability: String,
        dataOwnership: DataOwnership = .shared,
        failures: ErrorClassifier,
        isSameUser: (@Sendable () async -> Bool)? = nil,
        shadowQueue: ShadowQueue = ShadowQueue(),
        shadowDeadline: Duration = .seconds(10),
        expectations: Expectations = .none,
        breakers: Breakers? = nil,
        calls: (any CandidateCallLog)? = nil,
        memory: any UnitMemory = TransientUnitMemory(),
        observer: (any RouteObserver)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil
    ) {
        self.capability = capability
        self.dataOwnership = dataOwnership
        self.failures = failures
        self.isSameUser = isSameUser
        self.shadowQueue = shadowQueue
        self.shadowDeadline = shadowDeadline
        self.expectations = expectations
        self.breakers = breakers
        self.calls = calls
        self.memory = memory
        self.observer = observer
        self.clock = clock
        self.executor = executor
    }
}
