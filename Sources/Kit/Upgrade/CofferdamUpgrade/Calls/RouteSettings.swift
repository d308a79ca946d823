import Cofferdam

/// The settings that all routes of a capability share.
public struct RouteSettings: Sendable {
    /// The capability's name: "catalogue".
    public var capability: String
    /// Whether both sides share their data.
    public var dataOwnership: DataOwnership
    /// Classifies the errors of the port.
    public var failures: ErrorClassifier
    /// Whether the same user is signed in on both sides; nil means always. Called before the other side answers a
    /// user's operation, after the first side failed or for a cursor of the other side.
    public var isSameUser: (@Sendable () async -> Bool)?
    /// The queue in which calls are compared, each with the task-locals and the priority of its caller, after the
    /// caller has its answer. Values that must not reach the other side or outlive the call do not belong in a
    /// task-local: see ``ShadowQueue``.
    public var shadowQueue: ShadowQueue
    /// The deadline of a shadow call, including opening its side.
    public var shadowDeadline: Duration
    /// The expected differences. Give the ``EvidenceRecorder`` of the capability the same value.
    public var expectations: Expectations
    /// The breakers; nil for none. Give the ``EvidenceRecorder`` of the capability the same object.
    public var breakers: Breakers?
    /// Logs the candidate's calls in flight, so that the next process can detect a crash; nil for no log.
    public var calls: (any CandidateCallLog)?
    /// Remembers which units have written to the candidate's data, for ``DataOwnership/separate``. The default forgets
    /// them when the process ends.
    public var memory: any UnitMemory
    /// Observes the calls; nil for none.
    public var observer: (any RouteObserver)?
    /// The clock for timing and deadlines.
    public var clock: any Clock<Duration>
    /// Runs the tasks; nil for the default executor.
    public var executor: (any TaskExecutor)?

    /// Creates a value from its parts.
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
