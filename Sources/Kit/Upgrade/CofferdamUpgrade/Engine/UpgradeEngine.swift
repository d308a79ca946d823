import Cofferdam

/// Runs the upgrade of one capability in one process: it follows the stored state, asks the gate, carries out its
/// verdicts and saves the counts.
///
/// ```swift
/// let engine = UpgradeEngine("catalogue", plan: plan, store: store, control: control, recorder: recorder) {
///     $0.ledger = store.log
///     $0.log = store.log
/// }
/// await engine.start()  // before the first call
/// try await engine.run()
/// ```
public final class UpgradeEngine: Sendable {
    /// The options of an engine.
    public struct Options: Sendable {
        /// The settings of the engine.
        public var settings = UpgradeEngineSettings.defaults
        /// The evidence for the gate, if it does not come from the recorder of this process; for example, that of a
        /// fleet.
        public var evidence: (any EvidenceSource)?
        /// Whether other hosts follow the same store. One host is not the whole fleet: after three crashes, it stops
        /// itself only; its crashes count, and the gate decides for all.
        public var isShared = false
        /// Keeps the counts beyond the process. Without it a unit would count again after a restart, so nothing is
        /// promoted automatically and a person is asked.
        public var ledger: (any EvidenceLedger)?
        /// Keeps snapshots of the evidence.
        public var log: (any EvidenceLog)?
        /// Remembers the state of a store that may be unreachable.
        public var memory: (any UpgradeMemory)?
        /// Notifies of changes before the next poll, so that a kill switch of a fleet takes effect within a second.
        /// Without it, or if its connection is dead, the switch takes effect at the next poll: see
        /// ``UpgradeEngineSettings/pollInterval``.
        public var watching: (any UpgradeStoreWatching)?
        /// Asked for a stop at the start, at each ``UpgradeEngine/refresh()`` and at each poll at which the store
        /// cannot be read. Nil for none.
        public var stops: (any StopSource)?
        /// The candidate's calls in flight, which the routes count: see ``RouteSettings/calls``.
        public var calls: InFlightFile?
        /// The crashes of processes that counted their calls in other files than ``calls``.
        public var otherCrashes: [InFlightFile.Crash] = []
        /// Observes the engine; nil for none.
        public var observer: (any UpgradeObserver)?
        /// The clock for timing and deadlines.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Returns the current time in milliseconds since 1970.
        public var now: @Sendable () -> Int64 = WallTime.now
        /// Returns an id for a new request.
        var makeID: @Sendable () -> String = UpgradeEngine.randomID
        /// Called with the state in force here, with the requests made here, each time it is followed; nil if nothing is
        /// stored or requested.
        package var served: (@Sendable (StoredUpgrade?) -> Void)?
        /// Runs the tasks; nil for the default executor.
        package var executor: (any TaskExecutor)?

        init() {}
    }

    /// The name of the capability.
    public let capability: String
    let plan: UpgradePlan
    let store: any UpgradeStore
    let control: StageControl
    let recorder: EvidenceRecorder
    let options: Options
    let state: Mutex<State>
    let time: Stopwatch
    /// Keeps saving and restoring counts from overlapping.
    let evidenceTurns = AsyncMutex()

    struct State {
        var followed: FollowedUpgrade
        /// The number of starts that have not finished reading; until then nothing is promoted.
        var pendingStarts = 0
        /// The ids of requests whose callers wait for an answer.
        var awaited: Set<String> = []
        /// The refusals of such requests.
        var refusals: [String: UpgradeRefusal] = [:]
        /// The last requests that were submitted here, so that one that is sent again does nothing a second time.
        var submitted: [AuditEntry] = []
        /// False while a memory exists that could not be read, so that it is not overwritten.
        var canRemember = true
        /// The value last written to the memory, and when it was created.
        var remembered: (upgrade: RememberedUpgrade, at: Duration)?
        /// The task that writes it, after earlier ones.
        var writing: Task<Void, Never>?
        /// The task that reads the memory of the previous process.
        var recalling: Task<Void, Never>?
        /// Whether the saved counts must still be restored, because the epoch was not known.
        var needsEvidence = false
        /// The task that restores them.
        var resumption: Task<Void, Never>?
    }

    /// - Parameter control: followed by the routes of this capability; from now on only the engine changes it.
    public init(
        _ capability: String,
        plan: UpgradePlan,
        store: any UpgradeStore,
        control: StageControl,
        recorder: EvidenceRecorder,
        _ change: (inout Options) -> Void = { _ in }
    ) {
        var options = Options()
        change(&options)
        self.capability = capability
        self.plan = plan
        self.store = store
        self.control = control
        self.recorder = recorder
        self.options = options
        time = Stopwatch(options.clock)
        state = Mutex(State(followed: FollowedUpgrade(capability, plan, options.settings)))
    }

    /// The status of this instance.
    public var status: UpgradeStatus {
        let now = time.elapsed()
        return state.withLock { $0.followed.status(at: now) }
    }

    /// The state that is followed here, for exporting counts: the initial state if nothing is stored; nil until the
    /// store has been read.
    public var followedState: UpgradeState? {
        state.withLock { state in
            state.followed.seen.map { _ in (state.followed.stored ?? state.followed.initial).state }
        }
    }

    /// Returns an id for a new request: 128 random bits in hexadecimal digits.
    public static func randomID() -> String { .randomID() }

    func request(_ action: UpgradeAction, by: String, reason: String) -> UpgradeRequest {
        UpgradeRequest(action, by: by, reason: reason, at: options.now(), id: options.makeID())
    }
}

/// The settings of an ``UpgradeEngine``.
public struct UpgradeEngineSettings: Sendable, Hashable {
    /// How often the store and the gate are asked.
    public var pollInterval = Duration.seconds(5)
    /// How often the kill switch of this machine and a local store are checked. A kill takes effect within this time,
    /// even if everything else is slow.
    public var killPollInterval = Duration.seconds(1)
    /// How often the counts are saved; a crash loses at most the counts of this interval.
    public var saveInterval = Duration.seconds(1)
    /// How often a snapshot of the evidence is kept.
    public var snapshotInterval = Duration.seconds(60)
    /// Whether the gate's promotions are carried out. Set this only for a fleet or a rehearsal: a single device sees
    /// too few units, so it only goes back automatically.
    public var promotesAutomatically = false
    /// The time without contact to the store after which the state is stale: nothing is promoted.
    public var staleAfter = Duration.seconds(5 * 60)
    /// The time without contact after which the state has expired: shadow and canary become `legacyOnly` here, for
    /// named units too. Later stages remain.
    public var expiresAfter = Duration.seconds(60 * 60)
    /// The time without contact after which every stage becomes `legacyOnly` here, also one at which users may have
    /// data that only the candidate can read. Nil, the default, for never: choose it if a candidate that nothing can
    /// stop is worse than going back.
    public var fallsBackAfter: Duration?
    /// The name of the engine in the audit log.
    public var name = "gate"

    /// Creates the default settings.
    public init() {}

    /// The default settings.
    public static let defaults = UpgradeEngineSettings()

    /// The defaults, changed in place: `.defaults { $0.promotesAutomatically = true }`.
    public static func defaults(_ change: (inout UpgradeEngineSettings) -> Void) -> UpgradeEngineSettings {
        var settings = UpgradeEngineSettings()
        change(&settings)
        return settings
    }
}
