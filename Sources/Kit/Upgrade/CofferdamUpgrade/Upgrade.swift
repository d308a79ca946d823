public import Cofferdam  // an upgrade routes the calls of ports

/// The upgrade of an SDK behind a port, in place: it opens both sides, chooses one for each user, counts what users meet,
/// and moves the stage.
///
/// ```swift
/// let upgrade = try Upgrade(
///     "rates",
///     plan: .standard,
///     backend: .directory(folder),
///     failures: .rates,
///     legacy: { V1Rates(bank: v1) },
///     candidate: { V2Rates(bank: v2) }
/// )
/// await upgrade.start()  // before the first call; then, in a task of its own, `try await upgrade.run()`
/// let rates: any Rates = upgrade.port(for: user)
/// ```
///
/// Ports that share an SDK and a session go through one upgrade, so that a user is on one side in all of them: a side
/// then opens a bundle of ports, and `upgrade.port(\.orders, for: user)` is one of them.
///
/// Its parts are public, for another composition of them.
public final class Upgrade<Services: Sendable>: Sendable {
    /// What most upgrades leave as it is.
    public struct Options: Sendable {
        /// Opens the candidate for shadow calls, on a copy of the legacy side's state and without telemetry; nil to let
        /// shadow calls use the candidate that answers callers.
        public var shadowCandidate: (@Sendable () async throws -> Services)?
        /// The differences between the sides that are agreed. The plan tolerates each up to its rate; a plan by which a
        /// server or a tool decides must name the rates too: see `GateSettings.tolerate(_:)`.
        public var expectations = Expectations.none
        /// Whether both sides share their data.
        public var dataOwnership = DataOwnership.shared
        /// Whether the same user is signed in on both sides; nil means always: see ``RouteSettings``.
        public var isSameUser: (@Sendable () async -> Bool)?
        /// The build of the app, whose evidence counts for itself: a version, or the ``BuildIdentity``.
        public var build = BuildIdentity.current ?? ""
        /// The salt by which users are divided into buckets; nil for the capability's name.
        public var salt: String?
        /// The queue in which calls are compared.
        public var shadowQueue = ShadowQueue()
        /// Stops the candidate where the store cannot be reached: see ``UpgradeEngine/Options/stops``.
        public var stops: (any StopSource)?
        /// Returns what is told of the calls: the recorder, or something that tells the recorder, such as a
        /// ``SampleGuard``; or something that tells it only after ``UpgradeEngine/start()``, in an app that opens after
        /// ``UpgradeEngine/startFollowing()``.
        public var counting: @Sendable (EvidenceRecorder, StageControl) -> any RouteObserver = { recorder, _ in recorder
        }
        /// Observes the stage and the decisions.
        public var observer: (any UpgradeObserver)?
        /// How often the engine looks, and how long it goes on without its store.
        public var engine = UpgradeEngineSettings.defaults
        /// The clock for timing and deadlines, of every part.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Returns the current time in milliseconds since 1970.
        public var now: @Sendable () -> Int64 = WallTime.now
        /// Runs the tasks; nil for the default executor.
        public var executor: (any TaskExecutor)?

        init() {}
    }

    /// The name of the capability.
    public let capability: String
    /// Follows the stored stage, asks the gate and carries out its verdicts.
    public let engine: UpgradeEngine
    /// Holds both sides.
    public let router: Router<Services>
    /// The settings of the routes.
    public let routes: RouteSettings
    /// Counts what users meet.
    public let recorder: EvidenceRecorder
    /// The stage that the routes follow.
    public let control: StageControl
    private let bucketing: Bucketing

    /// - Parameters:
    ///   - capability: the name under which the state is kept. Do not change it while an upgrade is under way.
    ///   - plan: the plan with which the upgrade begins. One that has begun keeps its own: see
    ///     <doc:OperatingAnUpgrade>.
    ///   - backend: keeps the state and the evidence.
    ///   - failures: says which errors are answers, which both sides would give.
    ///   - legacy: opens the legacy side, when it is first needed.
    ///   - candidate: opens the candidate, when it is first needed.
    /// - Throws: ``BucketingError`` for a salt with a colon; ``UpgradeStoreError`` of the backend; `GateError` for an agreed
    ///   difference whose rate is not between 0 and 1.
    public init(
        _ capability: String,
        plan: UpgradePlan,
        backend: UpgradeBackend,
        failures: ErrorClassifier,
        legacy: @escaping @Sendable () async throws -> Services,
        candidate: @escaping @Sendable () async throws -> Services,
        _ change: (inout Options) -> Void = { _ in }
    ) throws {
        var options = Options()
        change(&options)
        let (clock, executor) = (options.clock, options.executor)
        let plan = try plan.tolerating(options.expectations.agreed)
        self.capability = capability
        control = StageControl()
        bucketing = try Bucketing(salt: options.salt ?? capability)
        let breakers = try Breakers(clock: clock)
        let calls = try backend.calls(capability)
        recorder = EvidenceRecorder(
            minimumBaselineCalls: plan.settings.minimumBaselineCalls,
            expectations: options.expectations,
            breakers: breakers,
            key: { [build = options.build, limit = plan.settings.limit] in
                EpochKey(stage: $0, binary: build, margin: limit)
            },
            clock: clock,
            now: options.now
        )
        let counting = options.counting(recorder, control)
        routes = RouteSettings(
            capability: capability,
            dataOwnership: options.dataOwnership,
            failures: failures,
            isSameUser: options.isSameUser,
            shadowQueue: options.shadowQueue,
            expectations: options.expectations,
            breakers: breakers,
            calls: calls.own,
            memory: backend.units,
            observer: counting,
            clock: clock,
            executor: executor
        )
        router = Router(
            executor: executor,
            observer: counting,
            clock: clock,
            legacy: legacy,
            candidate: candidate,
            shadowCandidate: options.shadowCandidate
        )
        engine = UpgradeEngine(
            capability,
            plan: plan,
            store: backend.store,
            control: control,
            recorder: recorder
        ) { [options] engine in
            engine.settings = options.engine
            engine.settings.promotesAutomatically = backend.decides
            (engine.evidence, engine.isShared) = (backend.evidence, backend.isShared)
            (engine.ledger, engine.log) = (backend.ledger, backend.log)
            (engine.memory, engine.watching) = (backend.memory, backend.watching)
            engine.stops = options.stops
            (engine.calls, engine.otherCrashes) = (calls.own, calls.others)
            (engine.observer, engine.clock, engine.now) = (options.observer, clock, options.now)
            engine.executor = executor
        }
    }

    // MARK: Ports

    /// The port for one user, whose calls go to the side that the stage chooses. It converts to the port's protocol by the
    /// port's forwarding conformance.
    ///
    /// - Parameter unit: the user, or whatever should be on one side for as long as the stage lasts, by a name that stays
    ///   the same; nil before it is known.
    public func port(for unit: String?) -> Intercepted<Services> { port({ $0 }, for: session(for: unit)) }

    /// One port of a bundle, for one user.
    public func port<Port: Sendable>(
        _ port: @escaping @Sendable (Services) -> Port,
        for unit: String?
    ) -> Intercepted<Port> {
        self.port(port, for: session(for: unit))
    }

    /// One port of a bundle, for one session: several ports with one session choose their side together.
    public func port<Port: Sendable>(
        _ port: @escaping @Sendable (Services) -> Port,
        for session: UnitSession
    ) -> Intercepted<Port> {
        Intercepted(source: router.route(for: session, settings: routes, port: port))
    }

    /// One port of a bundle, for users who sign in and out.
    ///
    /// - Parameter session: returns the session of a call that begins now. It must be quick: it runs for each call.
    public func port<Port: Sendable>(
        _ port: @escaping @Sendable (Services) -> Port,
        following session: @escaping @Sendable () -> UnitSession
    ) -> Intercepted<Port> {
        Intercepted(source: router.route(following: session, settings: routes, port: port))
    }

    /// A session of a user, such as the time between signing in and out.
    public func session(for unit: String?) -> UnitSession {
        UnitSession(unit: unit, control: control, bucketing: bucketing)
    }

    /// Opens the side that answers a session now, so that its first call need not wait. If the process crashes in the
    /// meantime, the next one knows.
    ///
    /// - Throws: errors of the opener; `CancellationError` as soon as this task is cancelled.
    public func open(for session: UnitSession) async throws {
        let calls = session.side == .candidate ? routes.calls : nil
        let call = CandidateCall(session.callKind, isUnitsOnlyCall: session.unit != nil)
        calls?.began(call)
        defer { calls?.ended(call) }
        try await router.open(for: session)
    }

    // MARK: The stage

    /// Reads the stored stage and what an earlier process counted: call it before the first call.
    @discardableResult
    public func start() async -> UpgradeStatus { await engine.start() }

    /// Follows the stage, saves the counts every second and asks the gate every five, until the task is cancelled.
    public func run() async throws { try await engine.run() }

    /// What is known of the upgrade here.
    public var status: UpgradeStatus { engine.status }

    /// Takes the next step on a person's responsibility: see ``UpgradeEngine/advance(by:reason:despiteGate:)``.
    @discardableResult
    public func advance(by person: String, reason: String, despiteGate: Bool = false) async throws -> UpgradeStatus {
        try await engine.advance(by: person, reason: reason, despiteGate: despiteGate)
    }

    /// Goes back to `legacyOnly`: see ``UpgradeEngine/abort(by:reason:)``.
    @discardableResult
    public func abort(by person: String, reason: String) async throws -> UpgradeStatus {
        try await engine.abort(by: person, reason: reason)
    }

    /// Sets the kill switch: see ``UpgradeEngine/kill(_:by:reason:)``.
    @discardableResult
    public func kill(_ target: KillSwitch.Target, by person: String, reason: String) async throws -> UpgradeStatus {
        try await engine.kill(target, by: person, reason: reason)
    }

    /// The last changes, newest first.
    public func history(last count: Int) async throws -> [AuditEntry] {
        try await engine.store.history(of: capability, last: count)
    }
}
