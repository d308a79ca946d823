public import CofferdamUpgrade  // the router's parts, which an adopter describes

/// The upgrade of one capability, as a rehearsal sees it: its sides, what users do, and how to check the result.
public struct RehearsedUpgrade<Services: Sendable>: Sendable {
    var capability: String
    /// An empty directory for files that survive a simulated crash.
    package var directory: String
    var open: @Sendable (RehearsedInstance) async throws -> Services
    var close: @Sendable (Services) async -> Void
    var routed: @Sendable (Router<Services>, UnitSession, RouteSettings) -> Services
    var faulty: @Sendable (Services, FaultInjector) -> Services
    var failures: ErrorClassifier
    package var failure: FaultInjector.MakeError
    package var operations: [TrafficOperation<Services>]
    var feed: TrafficFeed<Services>?
    var expecting: [AgreedDifference]
    var gate: GateSettings
    var written: @Sendable () async throws -> [String: Int]

    /// Describes an upgrade and the traffic to rehearse it under.
    ///
    /// - Parameters:
    ///   - capability: the capability's name, which also buckets the units.
    ///   - directory: an empty directory for files that survive a simulated crash.
    ///   - feed: the stream that users follow; nil for none.
    ///   - failures: classifies the ports' errors, and makes an error of a given meaning.
    ///   - expecting: the expected differences between the sides, with their rates.
    ///   - gate: the gate's settings. The walk overrides the limit, the baseline and the expected rates.
    ///   - open: opens an instance when it is first used; called at most once for each in a process of the app.
    ///   - routed: wraps a router as the services of one unit.
    ///   - faulty: decorates each port that the traffic uses with the fault injector.
    ///   - written: reads, at the end, how often the service has recorded each step's key.
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

/// How to walk a scenario.
public struct ScenarioOptions: Sendable, Hashable {
    /// Seeds users, faults and the choice of operations.
    public var seed: UInt64 = 1
    /// The failure rate that the gate tolerates: higher than in a real upgrade, so that the rehearsal ends soon.
    public var limit = 0.01
    /// Visits per second; nil for as fast as possible.
    public var rate: Double?
    /// How often users do each kind of operation.
    public var mix = TrafficMix.default
    /// The minimum number of the old side's users and calls to measure before the upgrade starts: half of what a real
    /// upgrade needs, so that the rehearsal ends soon.
    public var baseline = GateSettings.defaults.minimumBaselineCalls / 2
    /// How users behave.
    var habits = VisitHabits()
    /// How many visits run concurrently.
    var inFlight = 48
    /// The number of visits after which the gate is asked again.
    var batch = 64
    /// The maximum simulated network time of a usual call; a few calls take much longer.
    var roundTrip: Duration = .milliseconds(8)
    /// How long a user waits for a call before it counts as hung. On a busy machine a call takes seconds without hanging.
    var patience: Duration = .seconds(30)
    /// How many users follow the feed at a time.
    var followers = 8
    /// How many times faster than the clock a stream's handover and the pause after it run.
    var streamPace = 5
    /// An item is due on a stream that began at least this long before its publication and ended at least this long
    /// after it.
    var followingDelay: Duration = .seconds(5)
    /// How long the last item may take to reach all subscribers before another one is published, at most ten times.
    var lastItem: Duration = .seconds(1)

    /// Creates the default options.
    public init() {}

    /// The stages, as in most upgrades.
    public var stages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 2_000), .candidateWithFallback,
        .candidateShadowed(sample: .all), .candidateOnly,
    ]
}
