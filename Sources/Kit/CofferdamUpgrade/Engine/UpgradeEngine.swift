import Cofferdam

/// Leads one capability's upgrade in one process: follows what is stored, asks the gate, carries its verdicts out, and keeps what
/// was counted.
///
/// ```swift
/// let engine = UpgradeEngine("catalogue", plan: plan, store: store, control: control, recorder: recorder) {
///     $0.evidenceStore = store.log
///     $0.log = store.log
/// }
/// await engine.start()  // before the first call
/// try await engine.run()
/// ```
public final class UpgradeEngine: Sendable {
    /// What an engine may be given.
    public struct Options: Sendable {
        public var settings = UpgradeEngineSettings.defaults
        /// What the gate reads, where it is not this process's recorder: a fleet's.
        public var evidence: (any EvidenceSource)?
        /// Where what was counted outlives the process. Without it a unit that comes back after a restart would count again: then
        /// nothing is promoted by itself, and a person is asked.
        public var evidenceStore: (any EvidenceStore)?
        /// Where it is noted how the evidence grew.
        public var log: (any EvidenceLog)?
        /// Where a store that may be out of reach is remembered.
        public var memory: (any UpgradeMemory)?
        /// Tells of changes before the store is asked again. A fleet's kill is obeyed within a second by it, and without it, or where its
        /// connection is dead without a word, when the store is asked the next time: see ``UpgradeEngineSettings/polling``.
        public var watching: (any UpgradeStoreWatching)?
        /// The candidate's calls under way, which the routes count: see ``RouteSettings/calls``.
        public var calls: InFlightFile?
        /// What processes have left that counted in files of their own, whileRunning the one before.
        public var otherCrashes: [InFlightFile.Crash] = []
        public var observer: (any UpgradeObserver)?
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Milliseconds since 1970.
        public var now: @Sendable () -> Int64 = WallTime.now
        /// A new name for each request.
        public var makeID: @Sendable () -> String = UpgradeEngine.randomID
        public var executor: (any TaskExecutor)?

        init() {}
    }

    public let capability: String
    let plan: UpgradePlan
    let store: any UpgradeStore
    let control: StageControl
    let recorder: EvidenceRecorder
    let options: Options
    let state: Mutex<State>
    let time: Stopwatch
    /// What was counted is saved or taken up by one task at a time.
    let evidenceTurns = AsyncMutex()

    struct State {
        var followed: FollowedUpgrade
        /// How many starts have not come so far yet that anything may be raised.
        var pendingStarts = 0
        /// The ids of orders whose givers wait for an answer.
        var awaited: Set<String> = []
        /// Why some of them were refused.
        var refusals: [String: UpgradeRefusal] = [:]
        /// Nothing is written over what could not be read.
        var canRemember = true
        /// What was remembered last, and when.
        var remembered: (upgrade: RememberedUpgrade, at: Duration)?
        /// What writes that, after what was remembered before.
        var writing: Task<Void, Never>?
        /// What reads what the process before has remembered.
        var recalling: Task<Void, Never>?
        /// What was counted before could not be taken up, because it was not known in which epoch.
        var needsEvidence = false
        /// What takes it up.
        var resumption: Task<Void, Never>?
    }

    /// - Parameter control: what the routes of this capability follow; from here on the engine alone changes it.
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

    /// Where this instance is.
    public var status: UpgradeStatus {
        let now = time.elapsed()
        return state.withLock { $0.followed.status(at: now) }
    }

    /// The state that is followed here, for who tells what is counted in it: that of before the first step where nothing is stored yet;
    /// nil as long as it is not known what is stored.
    package var followedState: UpgradeState? {
        state.withLock { state in
            state.followed.seen.map { _ in (state.followed.stored ?? state.followed.initial).state }
        }
    }

    /// 128 random bits in hexadecimal digits: an id for a new request.
    public static func randomID() -> String { .randomID() }

    func request(_ action: UpgradeAction, by: String, reason: String) -> UpgradeRequest {
        UpgradeRequest(action, by: by, reason: reason, at: options.now(), id: options.makeID())
    }
}

/// How an ``UpgradeEngine`` works.
public struct UpgradeEngineSettings: Sendable, Hashable {
    /// How often the store is asked, and the gate.
    public var polling = Duration.seconds(5)
    /// How often this machine's kill switch is looked at, and a store that is on this machine: after so long a kill is obeyed, whatever
    /// else takes its time.
    public var killPolling = Duration.seconds(1)
    /// How often what was counted is saved: so much is lost at the most.
    public var saving = Duration.seconds(1)
    /// How often it is noted how the evidence grew.
    public var noting = Duration.seconds(60)
    /// Whether the gate's promotions are carried out. Only where units come from a fleet or from a rehearsal: a single device sees
    /// too few, and only goes back by itself.
    public var promotesAutomatically = false
    /// Out of touch with the store for longer, nothing is raised any more.
    public var noRiseAfter = Duration.seconds(5 * 60)
    /// Out of touch for longer, what is in the shadow or the canary is at `legacyOnly` here, named units too. Later stages stay.
    public var legacyAfter = Duration.seconds(60 * 60)
    /// The engine's name in the log.
    public var name = "gate"

    public init() {}

    public static let defaults = UpgradeEngineSettings()

    /// The defaults, changed in place: `.defaults { $0.promotesAutomatically = true }`.
    public static func defaults(_ change: (inout UpgradeEngineSettings) -> Void) -> UpgradeEngineSettings {
        var settings = UpgradeEngineSettings()
        change(&settings)
        return settings
    }
}
