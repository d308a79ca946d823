public import CofferdamUpgrade  // the router's parts are described by an adopter

/// One capability's upgrade, as its rehearsal needs it: the sides, what users do, and what is true.
public struct RehearsedUpgrade<Services: Sendable>: Sendable {
    /// The capability's name; units are bucketed by it.
    public var capability: String
    /// An empty directory, for what outlives a crash of the app.
    public var directory: String
    /// Opens an instance, each at most once, when it is first needed.
    public var open: @Sendable (RehearsedInstance) async throws -> Services
    public var close: @Sendable (Services) async -> Void
    /// The services as one unit has them: routed.
    public var routed: @Sendable (Router<Services>, UnitSession, RouteSettings) -> Services
    /// The services with the injector in the way of each port that the traffic uses.
    public var faulty: @Sendable (Services, FaultInjector) -> Services
    /// How the ports' errors are read, and one of a meaning is made.
    public var failures: ErrorClassifier
    public var failure: FaultInjector.MakeError
    public var operations: [TrafficOperation<Services>]
    /// What users follow; nil for nothing.
    public var feed: TrafficFeed<Services>?
    /// What may differ, and how often.
    public var expecting: [AgreedDifference]
    /// What the gate tolerates. The limit, the baseline, and how often something expected may come, are set by the walk.
    public var gate: GateSettings
    /// How often each step's key is in the service's own record, at the end.
    public var written: @Sendable () async throws -> [String: Int]

    public init(
        capability: String,
        directory: String,
        operations: [TrafficOperation<Services>],
        feed: TrafficFeed<Services>? = nil,
        failures: ErrorClassifier,
        failure: @escaping FaultInjector.MakeError,
        expecting: [AgreedDifference] = [],
        gate: GateSettings = .defaults,
        open: @escaping @Sendable (RehearsedInstance) async throws -> Services,
        close: @escaping @Sendable (Services) async -> Void,
        routed: @escaping @Sendable (Router<Services>, UnitSession, RouteSettings) -> Services,
        faulty: @escaping @Sendable (Services, FaultInjector) -> Services,
        written: @escaping @Sendable () async throws -> [String: Int]
    ) {
        self.capability = capability
        self.directory = directory
        self.operations = operations
        self.feed = feed
        self.failures = failures
        self.failure = failure
        self.expecting = expecting
        self.gate = gate
        self.open = open
        self.close = close
        self.routed = routed
        self.faulty = faulty
        self.written = written
    }
}

/// How a scenario is walked.
public struct ScenarioOptions: Sendable, Hashable {
    public var seed: UInt64 = 1
    /// p_max of the rehearsal's gate: more than a real upgrade's, so that it ends soon.
    public var limit = 0.01
    /// Visits in a second; nil for as fast as it goes.
    public var rate: Double?
    public var mix = TrafficMix.default
    /// How many calls the old side is watched for, at least, before anything is moved.
    public var baseline = GateSettings.defaults.fewestForBaseline
    /// What users do in a visit.
    var habits = VisitHabits()
    /// How many visits are under way at a time.
    public var inFlight = 48
    /// How many visits there are between two looks at the gate.
    public var batch = 64
    /// How long a call takes at the most beside what a service on loopback needs, but for the few that are late.
    public var roundTrip: Duration = .milliseconds(8)
    /// A user does not wait longer for anything: what takes longer hangs.
    public var patience: Duration = .seconds(5)
    /// How many follow the feed at a time.
    public var followers = 8
    /// By how much the streams' time is faster: what they wait for in a move, and how long they rest after it.
    public var streamPace = 5
    /// Where a stream was begun so long before something was published, and ended no sooner than so long after it, that was due
    /// there.
    public var followingDelay: Duration = .seconds(5)
    /// How long the last item may take to reach all subscribers; then another one is published, at most ten.
    public var lastItem: Duration = .seconds(1)

    public init() {}

    /// The way, as most upgrades go it.
    public var stages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 2_000), .candidateWithFallback,
        .candidateShadowed(sample: .all), .candidateOnly,
    ]
}
