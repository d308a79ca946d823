import Cofferdam

/// How one upgrade stands, as `status --json` and a server give it.
package struct CapabilityStatus: Codable, Sendable, Hashable {
    package var capability: String
    /// The plan's name; nil for a plan without one.
    package var plan: String?
    package var stage: Stage
    /// The stage after this one; nil at the end of the plan.
    package var next: Stage?
    package var epoch: Int
    package var attempt: Int
    /// When the epoch began, RFC 3339; nil before the first step.
    package var since: String?
    package var ageSeconds: Int64?
    /// Who takes the next step: see ``Awaited``.
    package var waitsFor: Awaited
    /// Why a person must act; nil if none must.
    package var waiting: UpgradeState.Waiting?
    package var kill: KillSwitch?
    package var overrides: [String: Stage]
    /// The units that are on the candidate by their names; nil where there are none.
    package var named: NamedUnitsStatus?
    package var gate: GateStatus
    /// The breakers of devices that opened in this epoch; nil where no devices report.
    package var breakers: [BreakerTotals]?
    /// How long calls took in this epoch, by side and operation; nil where no devices report.
    package var latencies: [LatencyTotals]?
    /// A few mismatches of this epoch that devices reported; nil where no devices report or it is not asked for.
    package var samples: [MismatchSample]?
    /// What each build counted, where no process holds both sides; nil elsewhere.
    package var arms: [ArmCounts]?
    /// What the delivery must do, because no stage and no kill switch can; nil for nothing.
    package var delivery: String?
    /// The freeze window that it is now; nil for none.
    package var freeze: String?
    /// Increases with each change; nil before the first.
    package var revision: Int64?
    /// The last change; nil where it is not asked for.
    package var last: HistoryLine?
    /// The newest first; nil where it is not asked for.
    package var history: [HistoryLine]?

    package enum Awaited: String, Codable, Sendable, Hashable {
        /// A person clears the kill switch.
        case resume
        /// A person answers for the next step: `advance`.
        case advance
        /// The gate is content: `promote`.
        case promote
        /// The gate wants to go back.
        case rollback
        /// More has to be counted.
        case evidence
        /// The end of the plan.
        case nothing
    }

    /// - Parameters:
    ///   - stored: nil if nothing ever was.
    ///   - snapshots: the evidence of this epoch as it grew, oldest first.
    ///   - gaps: what the last one lacks and why, for people.
    ///   - now: milliseconds since 1970.
    package init(
        _ capability: String,
        _ plan: UpgradePlan,
        _ stored: StoredUpgrade?,
        _ snapshots: [EvidenceSnapshot],
        gaps: [String] = [],
        now: Int64
    ) {
        let state = stored?.state ?? UpgradeState(capability: capability, since: now / 1_000)
        self.capability = capability
        (stage, epoch, attempt) = (state.stage, state.epoch, state.attempt)
        next = plan.stages.first { state.stage < $0 }
        since = stored.map { _ in ShownTime.date(millisecondsSince1970: state.since * 1_000) }
        ageSeconds = stored.map { _ in max(0, now / 1_000 - state.since) }
        (kill, revision, waiting) = (stored?.kill, stored?.revision, state.waiting)
        overrides = state.overrides
        named = NamedUnitsStatus(state.named, snapshots.last?.reading)
        gate = GateStatus(plan, state, snapshots, gaps: gaps, now: now)
        arms = plan.isOfArms ? snapshots.last?.reading.arms ?? [] : nil
        waitsFor = Self.awaited(state, isKilled: kill != nil, isEnd: next == nil, gate)
    }

    private static func awaited(_ state: UpgradeState, isKilled: Bool, isEnd: Bool, _ gate: GateStatus) -> Awaited {
        if isKilled { return .resume }
        if gate.verdict == .rollBack { return .rollback }
        if isEnd { return .nothing }
        if state.waiting != nil || !gate.decidesNextStep || gate.verdict == .undecided { return .advance }
        return gate.verdict == .promote ? .promote : .evidence
    }
}

extension UpgradePlan {
    /// What the delivery of builds must do now, with the builds that it is about; nil for nothing.
    ///
    /// - Parameters:
    ///   - arms: what the builds counted in this epoch; nil to ask for it.
    ///   - counted: what they counted at a state.
    package func delivery(
        _ stored: StoredUpgrade?,
        _ arms: [ArmCounts]?,
        in store: any UpgradeStore,
        counted: (UpgradeState) async throws -> [ArmCounts]?
    ) async throws -> String? {
        guard let stored, delivery(stored, nil) != nil else { return nil }
        if let builds = try await rolledBackBuilds(stored, in: store, counted: counted) {
            return delivery(stored, builds)
        }
        if let arms { return delivery(stored, arms) }
        return delivery(stored, try await counted(stored.state))
    }

    /// The builds that were rolled back: in the epoch after it the candidate's count nothing. Nil where none were.
    private func rolledBackBuilds(
        _ stored: StoredUpgrade,
        in store: any UpgradeStore,
        counted: (UpgradeState) async throws -> [ArmCounts]?
    ) async throws -> [ArmCounts]? {
        guard stored.state.waiting == .rolledBack, stored.kill?.target != .candidate else { return nil }
        let history = try await store.history(of: stored.state.capability, last: DecisionReport.longestHistory)
        guard let entry = history.first(where: { $0.after.attempt > $0.before.attempt }) else { return nil }
        if case .retreat(let decision) = entry.request.action { return decision.reading.arms }
        var before = stored.state
        (before.stage, before.epoch) = (entry.before.stage, entry.before.epoch)
        return try await counted(before)
    }

    /// What the delivery of builds must do after a kill or a rollback, which move no user of a build with one side; nil for nothing.
    package func delivery(_ stored: StoredUpgrade?, _ arms: [ArmCounts]?) -> String? {
        guard isOfArms, let stored else { return nil }
        let side: Side
        switch stored.kill?.target {
        case .legacy: side = .candidate
        case .candidate: side = .legacy
        case .freeze, nil:
            guard stored.state.waiting == .rolledBack else { return nil }
            side = .candidate
        }
        let builds = (arms ?? []).filter { $0.side == side }.map(\.build)
        let names = builds.isEmpty ? "" : " (\(builds.joined(separator: ", ")))"
        return
            "no user has moved: each build has one side. Withdraw the builds of the \(side.rawValue) side\(names) from the delivery"
    }
}
