import CofferdamUpgrade

/// The engine of the process that is there now, over a store that outlives it, as what was counted does.
struct RehearsedEngine {
    let capability: String
    let plan: UpgradePlan
    let control: StageControl
    let recorder: EvidenceRecorder
    let process: RehearsedProcess
    let clock: any Clock<Duration>
    /// Since the rehearsal began.
    let now: @Sendable () -> Duration
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
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Duration
    ) {
        self.capability = capability
        self.plan = plan
        self.control = control
        self.recorder = recorder
        self.process = process
        self.clock = clock
        self.now = now
    }

    /// A process of the app begins, where the one before was.
    ///
    /// - Returns: how many calls of the new side that one has left under way.
    @discardableResult
    mutating func start() async throws -> Int {
        // What was counted is saved each second; here, as if the last one were just over.
        await engine?.save()
        // A file is one process's at a time.
        engine = nil
        let file = try process.begin(at: now().inMilliseconds)
        let engine = UpgradeEngine(capability, plan: plan, store: store, control: control, recorder: recorder) {
            [now, clock, kept] in
            $0.evidenceStore = kept
            $0.settings = .defaults { $0.promotesBySelf = true }
            $0.calls = file
            $0.clock = clock
            $0.now = { now().inMilliseconds }
        }
        await engine.start()
        self.engine = engine
        return file.uncleanEnd?.calls ?? 0
    }

    /// Asks the gate, and has done what it says.
    ///
    /// - Returns: nil where there is nothing to decide.
    /// - Throws: ``TrafficProblem`` if it says something, and that was not done.
    func decide() async throws -> Decision? {
        await engine?.refresh()
        await engine?.save()
        guard let decision = await engine?.decide() else { return nil }
        if decision.verdict == .hold { return decision }
        guard try await log(last: 1).first?.request.action.decision == decision else {
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
            at: now().inMilliseconds,
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

    private static var person: String { "rehearsal" }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 { Int64(inSeconds * 1_000) }
}
