import CofferdamUpgrade

/// The engine of the current process. Its store and its counts outlive the process.
struct RehearsedEngine {
    let capability: String
    let plan: UpgradePlan
    let control: StageControl
    let recorder: EvidenceRecorder
    let process: RehearsedProcess
    /// The time since the rehearsal began.
    let now: @Sendable () -> Duration
    /// When the rehearsal began, in milliseconds since 1970.
    let beginning: Int64
    let hours: PassedHours
    private let store = MemoryUpgradeStore()
    private let kept = MemoryLedger()
    /// Nil between two processes.
    private var engine: UpgradeEngine?

    init(
        _ capability: String,
        _ plan: UpgradePlan,
        _ control: StageControl,
        _ recorder: EvidenceRecorder,
        _ process: RehearsedProcess,
        beginning: Int64,
        hours: PassedHours,
        now: @escaping @Sendable () -> Duration
    ) {
        self.capability = capability
        self.plan = plan
        self.control = control
        self.recorder = recorder
        self.process = process
        self.beginning = beginning
        self.hours = hours
        self.now = now
    }

    /// The rehearsal, for people who watch and may change it meanwhile.
    func ongoing(_ scenario: Scenario) -> OngoingRehearsal {
        OngoingRehearsal(
            scenario: scenario.name,
            capability: capability,
            plan: plan,
            store: store,
            recorder: recorder,
            now: date
        )
    }

    /// Starts a process of the app, which continues where the previous one ended.
    ///
    /// - Returns: the number of the new side's calls that the previous process left in flight.
    @discardableResult
    mutating func start() async throws -> Int {
        // Counts are saved every second; this is as if a second had just passed.
        await engine?.save()
        let file = try process.begin(at: milliseconds)
        let engine = UpgradeEngine(capability, plan: plan, store: store, control: control, recorder: recorder) {
            [now, kept, date] in
            $0.ledger = kept
            $0.settings = .defaults { $0.promotesAutomatically = true }
            $0.calls = file
            $0.clock = WalkedClock(elapsed: now)
            $0.now = date
        }
        await engine.start()
        self.engine = engine
        return file.crash?.calls ?? 0
    }

    /// Asks the gate, and checks that its decision was carried out.
    ///
    /// - Returns: nil if there is nothing to decide.
    /// - Throws: `TrafficProblem` if the decision was not carried out.
    func decide() async throws -> Decision? {
        await engine?.refresh()
        await engine?.save()
        guard let decision = await engine?.decide() else { return nil }
        if decision.verdict == .hold { return decision }
        // Several entries, because a person who watches may have changed the upgrade since.
        guard try await log(last: 8).contains(where: { $0.request.action.decision == decision }) else {
            throw TrafficProblem("\(decision.why), but it was not carried out: \(engine?.status.notes ?? [])")
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

    /// The last entries of the audit log, newest first.
    func log(last count: Int) async throws -> [AuditEntry] { try await store.history(of: capability, last: count) }

    /// Follows changes that a person has made in the meantime.
    func refresh() async { await engine?.refresh() }

    private var milliseconds: Int64 { date() }

    private var date: @Sendable () -> Int64 {
        { [now, hours, beginning] in beginning + now().inMilliseconds + hours.milliseconds }
    }

    /// The name of the person whose part the rehearsal plays.
    static var person: String { "rehearsal" }
}

/// The walk's time, for an engine that does nothing on its own: after each batch, the walk tells it to decide and to
/// save. On a clock that advances for each sleeper, an engine's periodic work would use up the time of everything else.
private struct WalkedClock: Clock {
    let elapsed: @Sendable () -> Duration

    var now: ClockInstant { ClockInstant(offset: elapsed()) }
    var minimumResolution: Duration { .milliseconds(1) }

    /// Sleeps until it is cancelled.
    func sleep(until deadline: ClockInstant, tolerance: Duration?) async throws {
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 { Int64(inSeconds * 1_000) }
}
