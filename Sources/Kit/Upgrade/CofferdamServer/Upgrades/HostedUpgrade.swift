#if Server
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade

/// The upgrade of one capability on this server. Its engine asks the gate, which decides on the devices' evidence.
/// A watched upgrade has its engine and its evidence elsewhere in the process.
struct HostedUpgrade: Sendable {
    let name: String
    let planName: String
    let plan: UpgradePlan
    let store: HostedStore
    let evidence: HostedEvidence
    /// Those that the team named.
    var operations: Set<String> = []
    /// Nil for a watched upgrade.
    let engine: UpgradeEngine?
    let now: @Sendable () -> Int64

    init(
        _ capability: HostedCapability,
        store: HostedStore,
        hub: StageHub,
        evidence: StoredEvidence,
        devices: DeviceReports,
        shared: SharedUpgrades?,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Int64,
        executor: (any TaskExecutor)?
    ) throws(ControlPlaneError) {
        do { plan = try .named(capability.plan, counting: capability.promotionCounts) } catch {
            throw ControlPlaneError(.invalidConfiguration, "the plan of \(capability.name): \(error.message)")
        }
        (name, planName, self.store, self.now) = (capability.name, capability.plan.rawValue, store, now)
        operations = capability.operations
        var evidence = evidence
        evidence.promotionCounts = capability.promotionCounts
        let source =
            shared.map { HostedEvidence($0.evidence, devices, now: now) } ?? HostedEvidence(evidence, devices)
        self.evidence = source
        engine = UpgradeEngine(
            name,
            plan: plan,
            store: store,
            control: StageControl(),
            recorder: EvidenceRecorder(clock: clock, now: now)
        ) {
            $0.settings.promotesAutomatically = capability.promotesAutomatically
            $0.evidence = source
            $0.watching = shared?.store
            $0.clock = clock
            $0.now = now
            $0.executor = executor
            $0.served = { hub.publish(ServedStage($0, of: capability.name)) }
        }
    }

    init(_ watched: WatchedUpgrade, hub: StageHub, freezes: FreezeCalendar) {
        (name, planName, plan, now) = (watched.name, watched.planName, watched.plan, watched.now)
        store = HostedStore(store: watched.store, hub: hub, freezes: freezes)
        evidence = HostedEvidence(watched)
        engine = nil
    }

    // MARK: Reading

    /// What is in force, and the gate's current decision.
    struct Status: Sendable {
        var state: UpgradeState
        /// Nil if the evidence cannot be read.
        var decision: Decision?
        /// The same as a document for people and their tools.
        var document: CapabilityStatus
        /// The last entries of the audit log, newest first.
        var entries: [AuditEntry]
    }

    /// The state in force, with the stops that are not stored yet; nil if there is none.
    private func current() async throws -> StoredUpgrade? {
        guard let engine else { return try await store.read(name) }
        return await engine.look()
    }

    /// What cannot be read is missing, and noted: a status needs no store.
    ///
    /// - Parameter count: the number of audit log entries; nil for an overview, which has the last one and no
    ///   explanation.
    func status(history count: Int? = nil) async throws -> Status {
        let stored = try await current()
        let state = stored?.state ?? UpgradeState(capability: name, since: date / 1_000)
        var reads = Reads()
        let decided = try await reads.attempt { try await decision(on: state) }
        let entries = try await reads.attempt { try await store.history(of: name, last: max(1, count ?? 1)) }
        let snapshot = decided.map {
            EvidenceSnapshot(capability: name, at: date, reading: $0.0.reading, outcomes: OutcomeCounts())
        }
        let gaps = decided?.gaps ?? []
        var document = CapabilityStatus(name, plan, stored, snapshot.map { [$0] } ?? [], gaps: gaps, now: date)
        document.plan = plan.difference(from: state) == nil ? planName : state.planName
        document.freeze = store.freezes.current?.description
        document.breakers = try await reads.attempt { try await evidence.breakers(of: state) } ?? nil
        document.latencies = try await reads.attempt { try await evidence.latencies(of: state) } ?? nil
        document.last = entries?.first.map { HistoryLine($0) }
        let arms = decided?.0.reading.arms
        document.releaseSteps = try await reads.attempt { try await releaseSteps(stored, arms) } ?? nil
        if let count {
            document.samples = try await reads.attempt { try await evidence.samples(of: state) } ?? nil
            document.gate.explanation = decided?.0.explanation
            document.history = (entries ?? []).prefix(count).map { HistoryLine($0) }
        }
        // Several servers do not know who enrolled.
        if evidence.isPosted, let decided, decided.0.reading.installations == nil {
            document.gate.remarks.append(CountedInstallations.all.risk)
        }
        var notes = (engine?.status.notes ?? []) + reads.problems
        if let note = plan.note(on: state), !notes.contains(note) { notes.append(note) }
        document.notes = notes.isEmpty ? nil : notes
        return Status(state: state, decision: decided?.0, document: document, entries: entries ?? [])
    }

    /// Collects what could not be read.
    private struct Reads {
        private(set) var problems: [String] = []

        mutating func attempt<Value>(_ body: () async throws -> Value) async throws(CancellationError) -> Value? {
            do { return try await body() } catch let error as CancellationError { throw error } catch {
                if !problems.contains("\(error)") { problems.append("\(error)") }
                return nil
            }
        }
    }

    /// In milliseconds since 1970, by the clock of the store if it has one.
    private var date: Int64 { store.wallTime ?? now() }

    private func age(of state: UpgradeState) -> Int {
        Int(clamping: WallTime.since(state.since, at: date / 1_000))
    }

    private func decision(on state: UpgradeState) async throws -> (Decision, gaps: [String]) {
        let gate = plan.following(state).gate(at: state.stage)
        let (reading, gaps) = try await evidence.counted(of: state, afterSeconds: age(of: state))
        return (gate.decide(reading), gaps)
    }

    /// Returns the gate's current decision.
    func explanation() async throws -> DecisionReport {
        let stored = try await current()
        let state = stored?.state ?? UpgradeState(capability: name, since: date / 1_000)
        let (decision, gaps) = try await decision(on: state)
        var report = DecisionReport(name, decision, gaps: gaps)
        report.releaseSteps = try await releaseSteps(stored, decision.reading.arms)
        return report
    }

    /// The steps that the team's release process must take now; nil if none.
    func releaseSteps() async throws -> String? { try await releaseSteps(try await current(), nil) }

    private func releaseSteps(_ stored: StoredUpgrade?, _ arms: [ArmCounts]?) async throws -> String? {
        try await plan.releaseSteps(stored, arms, in: store) { state in
            try await evidence.reading(of: state, afterSeconds: 0).arms
        }
    }

    // MARK: Changing

    /// Makes the change, under the rules that hold for every store.
    ///
    /// - Parameter seen: the state that it is based on.
    /// - Throws: `RefusedChange`, `UpgradeStoreError`, `CancellationError`.
    func change(
        _ move: RequestedChange,
        by: String,
        reason: String,
        id: String,
        from seen: UpgradeRequest.Seen? = nil,
        allowsUnknown: Bool = false
    ) async throws -> UpgradeEngine.CarriedOut {
        if let engine, move.isStop, case .certain(let action) = move {
            let request = UpgradeRequest(action, by: by, reason: reason, at: now(), id: id)
            do { return try await engine.stop(request, waiting: Self.patience) } catch let refusal as UpgradeRefusal {
                throw RefusedChange(refusal)
            }
        }
        guard !move.isStepUp || seen != nil else {
            let message = "a step up needs \"from\": {\"stage\", \"revision\"}, the state that it is based on"
            throw RefusedChange(UpgradeRefusal(.incomplete, message))
        }
        let status = await engine?.refresh()
        guard !(status?.isSetBack ?? false) else {
            throw UpgradeStoreError(
                .setBack,
                "the database is older than what devices know: only a stop can change anything",
                subject: name
            )
        }
        if let pending = status?.pendingRequests.first {
            throw UpgradeStoreError(
                .unavailable,
                "\(pending.action.name) by \(pending.by) is in force, but not stored yet: nothing else can change",
                subject: name
            )
        }
        let state = try await store.read(name)?.state ?? UpgradeState(capability: name, since: date / 1_000)
        if case .certain(.override(let operation, .some, _)) = move {
            try check(operation, in: state, allowsUnknown: allowsUnknown)
        }
        var gaps: [String] = []
        let action: UpgradeAction
        switch move {
        case .certain(let certain): action = certain
        case .promote:
            let (decision, missing) = try await decision(on: state)
            (action, gaps) = (.promote(decision), missing)
        case .replan: action = .replan(StoredPlan(plan))
        }
        var request = UpgradeRequest(action, by: by, reason: reason, at: now(), id: id)
        request.seen = seen
        if case .advance = action, state.stage == .legacyOnly {
            request.baseline = try await evidence.baseline(
                of: state,
                minimum: plan.following(state).settings.minimumBaselineCalls
            )
        }
        let stored: StoredUpgrade
        do {
            stored = try await store.carryOut(request, for: name, plan: plan)
        } catch let refusal as UpgradeRefusal {
            let decision = refusal.code == .otherVerdict ? action.decision : nil
            throw RefusedChange(refusal, decision: decision.map { DecisionReport(name, $0, gaps: gaps) })
        }
        await engine?.adopt(stored)
        guard let entry = try await store.entry(id, of: name) else {
            throw UpgradeStoreError(.outcomeUnknown, "the change is not in the audit log", subject: name)
        }
        return UpgradeEngine.CarriedOut(entry: entry)
    }

    /// Checks that an operation which is to have its own stage is known. At night, a typing error must not look like
    /// success.
    private func check(
        _ operation: String,
        in state: UpgradeState,
        allowsUnknown: Bool
    ) throws(RefusedChange) {
        guard state.overrides[operation] == nil else { return }
        guard state.overrides.count < Self.maxOverrides else {
            let message = "at most \(Self.maxOverrides) operations have their own stage"
            throw RefusedChange(UpgradeRefusal(.unplanned, message))
        }
        let known = operations.union(state.baseline?.operations.keys.map { $0 } ?? [])
        guard !allowsUnknown, !known.isEmpty, !known.contains(operation) else { return }
        let names = known.sorted().prefix(10).joined(separator: ", ")
        let message = "no user has called \(operation); there are \(names), and \"unknown\": true insists"
        throw RefusedChange(UpgradeRefusal(.unknownOperation, message))
    }

    private static let maxOverrides = 63

    /// How long the answer to a stop, which is in force already, waits for the store.
    private static let patience = Duration.milliseconds(700)
}
#endif
