import CofferdamUpgrade

/// The upgrades in a directory or of a fleet, on which the tool itself decides.
struct StoreControls: UpgradeControls {
    let storage: UpgradeStorage
    let environment: ToolEnvironment

    var note: String? { storage.note }
    private var store: any UpgradeStore { storage.store }
    /// Of the store, once it was read.
    private var now: Int64 { store.wallTime ?? environment.now() }

    // MARK: Reading

    func planned(_ capabilities: [UpgradeTooling.Capability]) -> [UpgradeTooling.Capability] { capabilities }

    func status(of capabilities: [UpgradeTooling.Capability]) async throws -> [CapabilityStatus] {
        var statuses: [CapabilityStatus] = []
        for capability in capabilities {
            let (stored, now) = (try await store.read(capability.name), self.now)
            let state = stored?.state ?? .beforeFirstStep(of: capability, now: now)
            let question = UpgradeEvidence.Question(state: state, now: now, last: Self.shownSnapshots)
            let evidence = try await storage.evidence.answer(question)
            var status = CapabilityStatus(
                capability.name,
                capability.plan,
                stored,
                evidence.snapshots,
                gaps: evidence.gaps,
                now: now
            )
            status.releaseSteps = try await releaseSteps(of: capability, stored, status.arms)
            status.notes = capability.plan.note(on: state).map { [$0] }
            status.last = try await store.history(of: capability.name, last: 1).first.map { HistoryLine($0) }
            statuses.append(status)
        }
        return statuses
    }

    func history(of capabilities: [UpgradeTooling.Capability], last count: Int) async throws -> [HistoryLine] {
        var entries: [AuditEntry] = []
        for capability in capabilities { entries += try await store.history(of: capability.name, last: count) }
        // A stable sort, which keeps the log's order where the times are equal.
        let sorted = entries.enumerated().sorted { a, b in
            (b.element.request.at, a.offset) < (a.element.request.at, b.offset)
        }
        return sorted.prefix(count).map { HistoryLine($0.element) }
    }

    func explain(_ capability: UpgradeTooling.Capability) async throws -> DecisionReport {
        let (decision, gaps) = try await decision(on: capability)
        var report = DecisionReport(capability.name, decision, gaps: gaps)
        let stored = try await store.read(capability.name)
        report.releaseSteps = try await releaseSteps(of: capability, stored, decision.reading.arms)
        return report
    }

    /// The steps that the team's release process must take now; nil if none.
    ///
    /// - Parameter arms: what the builds counted in this epoch; nil to ask for it.
    private func releaseSteps(
        of capability: UpgradeTooling.Capability,
        _ stored: StoredUpgrade?,
        _ arms: [ArmCounts]?
    ) async throws -> String? {
        try await capability.plan.releaseSteps(stored, arms, in: store, counted: counted)
    }

    private func counted(_ state: UpgradeState) async throws -> [ArmCounts]? {
        let evidence = try await storage.evidence.answer(.init(state: state, now: now, last: 1))
        return evidence.snapshots.last?.reading.arms
    }

    func explain(
        _ id: String,
        among capabilities: [UpgradeTooling.Capability]
    ) async throws -> [DecisionReport] {
        var reports: [DecisionReport] = []
        for capability in capabilities {
            reports += try await store.decisions(ofEntry: id, of: capability.name, plan: capability.plan)
        }
        return reports
    }

    /// A day, at one snapshot a minute.
    private static let shownSnapshots = 1_440

    private func decision(on capability: UpgradeTooling.Capability) async throws -> (Decision, gaps: [String]) {
        let state = try await store.read(capability.name)?.state ?? .beforeFirstStep(of: capability, now: now)
        let evidence = try await storage.evidence.answer(.init(state: state, now: now, last: 1))
        guard let newest = evidence.snapshots.last else {
            let why = evidence.gaps.map { ": \($0)" }.joined()
            throw UpgradeRefusal(.noEvidence, "nothing has been counted at \(state.stage), epoch \(state.epoch)\(why)")
        }
        let gate = capability.plan.following(state).gate(at: state.stage)
        return (gate.decide(newest.reading), evidence.gaps)
    }

    // MARK: Changing

    func seen(_ capability: UpgradeTooling.Capability) async throws -> (UpgradeRequest.Seen, next: Stage?) {
        let stored = try await store.read(capability.name)
        let stage = stored?.state.stage ?? .legacyOnly
        let seen = UpgradeRequest.Seen(stage: stage, revision: stored?.revision ?? 0)
        let plan = stored.map { capability.plan.following($0.state) } ?? capability.plan
        return (seen, plan.stages.first { stage < $0 })
    }

    func carryOut(
        _ move: RequestedChange,
        of capability: UpgradeTooling.Capability,
        by: String,
        reason: String,
        id: String,
        from seen: UpgradeRequest.Seen?,
        allowsUnknown: Bool
    ) async throws -> MadeChange {
        var judged: DecisionReport?
        let action: UpgradeAction
        switch move {
        case .certain(let certain): action = certain
        case .promote:
            let (decision, gaps) = try await self.decision(on: capability)
            judged = DecisionReport(capability.name, decision, gaps: gaps)
            action = .promote(decision)
        case .replan: action = .replan(StoredPlan(capability.plan))
        }
        let watched = try await baseline(for: action, of: capability)
        var request = UpgradeRequest(
            action,
            by: by,
            reason: reason,
            at: environment.now(),
            id: id,
            baseline: watched?.baseline
        )
        request.seen = seen
        let stored: StoredUpgrade
        do {
            stored = try await store.carryOut(request, for: capability.name, plan: capability.plan)
        } catch var refusal as UpgradeRefusal {
            if refusal.code == .noBaseline, let gaps = watched?.gaps, !gaps.isEmpty {
                refusal.message += ": " + gaps.joined(separator: "; ")
            }
            throw RefusedChange(refusal, decision: refusal.code == .otherVerdict ? judged : nil)
        }
        guard let entry = try await store.entry(id, of: capability.name) else {
            throw UpgradeStoreError(
                .outcomeUnknown,
                "it is at \(stored.state.stage), and its log does not say why",
                subject: capability.name
            )
        }
        // The change is made even if its builds cannot be named.
        let named = try? await releaseSteps(of: capability, stored, nil)
        return MadeChange(
            line: HistoryLine(entry),
            releaseSteps: named ?? capability.plan.releaseSteps(stored, nil)
        )
    }

    /// Reads the baseline of the legacy side for the step that ends `legacyOnly`, from which on it belongs to the
    /// state.
    ///
    /// - Returns: nil for every other step.
    private func baseline(
        for action: UpgradeAction,
        of capability: UpgradeTooling.Capability
    ) async throws -> CountedBaseline? {
        guard case .advance = action else { return nil }
        var state = try await store.read(capability.name)?.state ?? .beforeFirstStep(of: capability, now: now)
        guard state.stage == .legacyOnly else { return nil }
        // Before the first step, it is unknown since when the legacy side has been measured.
        if state.epoch == 0 { state.since = min(state.since, now / 1_000 - Self.longestWatch) }
        let question = UpgradeEvidence.Question(state: state, now: now, last: 1)
        do {
            return try await storage.evidence.baseline(
                question,
                capability.plan.following(state).settings.minimumBaselineCalls
            )
        } catch let error as CancellationError {
            throw error
        } catch {
            return CountedBaseline(nil, gaps: ["\(error)"])
        }
    }

    /// Two weeks, in seconds.
    private static let longestWatch: Int64 = 1_209_600
}

extension UpgradeState {
    static func beforeFirstStep(of capability: UpgradeTooling.Capability, now: Int64) -> UpgradeState {
        UpgradeState(capability: capability.name, since: now / 1_000)
    }
}
