import CofferdamUpgrade

/// The engine of the process that is there now, over a store that outlives it, as what was counted does.
struct RehearsedEngine {
    let capability: String
    let plan: UpgradePlan
    let control: StageControl
    let recorder: EvidenceRecorder
    let process: RehearsedProcess
    /// Since the rehearsal began.
    let now: @Sendable () -> Duration
    /// What the rehearsal began at, in milliseconds: since 1970 where people watch it.
    let beginning: Int64
    private let store = MemoryUpgradeStore()
    private let kept = MemoryEvidenceStore()
    /// Nil between two processes.
    private var engine: UpgradeEngine?

    init(
        _ capability: String,
        _ plan: UpgradePlan,
        _ control: StageControl,
        _ recorder: EvidenceRecorder,
        _ process: RehearsedProcess,
        beginning: Int64 = 0,
        now: @escaping @Sendable () -> Duration
    ) {
        self.capability = capability
        self.plan = plan
        self.control = control
        self.recorder = recorder
        self.process = process
        self.beginning = beginning
        self.now = now
    }

    /// For those who watch and may move it meanwhile.
    var ongoing: OngoingRehearsal {
        OngoingRehearsal(
            capability: capability,
            plan: plan,
            store: store,
            recorder: recorder,
            now: { [now, beginning] in beginning + now().inMilliseconds }
        )
    }

    /// A process of the app begins, where the one before was.
    ///
    /// - Returns: how many calls of the new side that one has left under way.
    @discardableResult
    mutating func start() async throws -> Int {
        // What was counted is saved each second; here, as if the last one were just over.
        await engine?.save()
        let file = try process.begin(at: milliseconds)
        let engine = UpgradeEngine(capability, plan: plan, store: store, control: control, recorder: recorder) {
            [now, kept, beginning] in
            $0.evidenceStore = kept
            $0.settings = .defaults { $0.promotesAutomatically = true }
            $0.calls = file
            $0.clock = WalkedClock(elapsed: now)
            $0.now = { beginning + now().inMilliseconds }
        }
        await engine.start()
        self.engine = engine
        return file.crash?.calls ?? 0
    }

    /// Asks the gate, and has done what it says.
    ///
    /// - Returns: nil where there is nothing to decide.
    /// - Throws: `TrafficProblem` if it says something, and that was not done.
    func decide() async throws -> Decision? {
        await engine?.refresh()
        await engine?.save()
        guard let decision = await engine?.decide() else { return nil }
        if decision.verdict == .hold { return decision }
        // A person who watches may have moved it since.
        guard try await log(last: 8).contains(where: { $0.request.action.decision == decision }) else {
            throw TrafficProblem("\(decision.why), and it was not done: \(engine?.status.notes ?? [])")
        }
        return decision
    }

    func advance(_ reason: String) async throws {
        let id = UpgradeEngine.randomID()
        let request = UpgradeRequest(
            .advance(),
            by: Self.person,
            reason: reason,
            at: milliseconds,
            id: id,
            baseline: recorder.baseline
        )
        _ = try await store.carryOut(request, for: capability, plan: plan)
        await engine?.refresh()
    }

    func kill(_ target: KillSwitch.Target, _ reason: String) async throws {
        _ = try await engine?.kill(target, by: Self.person, reason: reason)
    }

    /// The audit log, the newest first.
    func log(last count: Int) async throws -> [AuditEntry] { try await store.history(of: capability, last: count) }

    /// Follows what a person has changed meanwhile.
    func refresh() async { await engine?.refresh() }

    private var milliseconds: Int64 { beginning + now().inMilliseconds }

    /// The name of the person whom the rehearsal plays.
    static var person: String { "rehearsal" }
}

/// The walk's time, for an engine that does nothing by itself: the walk has it asked and saved, batch by batch. On a clock that moves
/// on for each sleeper, what an engine does again and again would take the time of all others away.
private struct WalkedClock: Clock {
    let elapsed: @Sendable () -> Duration

    var now: ClockInstant { ClockInstant(offset: elapsed()) }
    var minimumResolution: Duration { .milliseconds(1) }

    /// Until it is cancelled.
    func sleep(until deadline: ClockInstant, tolerance: Duration?) async throws {
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 { Int64(inSeconds * 1_000) }
}
