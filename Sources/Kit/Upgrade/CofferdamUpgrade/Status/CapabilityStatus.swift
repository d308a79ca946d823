import Cofferdam

/// The status of one upgrade, as `status --json` and a server return it.
package struct CapabilityStatus: Codable, Sendable, Hashable {
    package var capability: String
    /// The plan's name; nil for a plan without one.
    package var plan: String?
    package var stage: Stage
    /// The stage after this one; nil at the end of the plan.
    package var next: Stage?
    package var epoch: Int
    package var attempt: Int
    /// When the epoch began, in RFC 3339; nil if nothing is stored yet.
    package var since: String?
    package var ageSeconds: Int64?
    /// What the upgrade waits for.
    package var waitsFor: Awaited
    /// Why a person must act; nil if no one must.
    package var waiting: UpgradeState.Waiting?
    package var kill: KillSwitch?
    package var overrides: [String: Stage]
    /// The units that use the candidate because they are named; nil if there are none.
    package var named: NamedUnitsStatus?
    package var gate: GateStatus
    /// The breakers of devices that opened in this epoch; nil if no devices report.
    package var breakers: [BreakerTotals]?
    /// How long calls took in this epoch, by side and operation; nil if no devices report.
    package var latencies: [LatencyTotals]?
    /// A few mismatches of this epoch that devices reported; nil if no devices report or the samples were not
    /// requested.
    package var samples: [MismatchSample]?
    /// The counts of each build; nil unless the plan compares builds with one side each.
    package var arms: [ArmCounts]?
    /// The steps that the team's release process must take, because no stage and no kill switch can; nil if none.
    package var releaseSteps: String?
    /// The freeze window in force; nil if none.
    package var freeze: String?
    /// Increases with each change; nil before the first change.
    package var revision: Int64?
    /// The devices that follow this server, and how many have the last change; nil if devices follow none.
    package var connected: ConnectedDevices?
    /// When devices last reported; nil if they have not since the server started, or report to none.
    package var news: DeviceNews?
    /// What keeps it from being stored or read as it should be, for people; nil if nothing does.
    package var notes: [String]?
    /// The last change; nil unless requested.
    package var last: HistoryLine?
    /// The changes, newest first; nil unless requested.
    package var history: [HistoryLine]?

    /// What an upgrade waits for.
    package enum Awaited: String, Codable, Sendable, Hashable {
        /// A person must clear the kill switch: `resume`.
        case resume
        /// A person must take the next step: `advance`.
        case advance
        /// The gate allows a promotion: `promote`.
        case promote
        /// The gate calls for a rollback.
        case rollback
        /// The gate needs more evidence.
        case evidence
        /// The plan is at its end.
        case nothing
    }

    /// - Parameters:
    ///   - stored: the stored state; nil if nothing is stored yet.
    ///   - snapshots: the snapshots of this epoch's evidence, oldest first.
    ///   - gaps: what the last snapshot lacks and why, for people.
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
        let following = plan.following(state)
        next = following.stages.first { state.stage < $0 }
        since = stored.map { _ in ShownTime.date(millisecondsSince1970: state.since * 1_000) }
        ageSeconds = stored.map { _ in max(0, now / 1_000 - state.since) }
        (kill, revision, waiting) = (stored?.kill, stored?.revision, state.waiting)
        overrides = state.overrides
        named = NamedUnitsStatus(state.named, snapshots.last?.reading)
        gate = GateStatus(plan, state, snapshots, gaps: gaps, now: now)
        arms = following.comparesBuilds ? snapshots.last?.reading.arms ?? [] : nil
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
    /// Returns the steps that the release process must take now, with the builds concerned; nil if none.
    ///
    /// - Parameters:
    ///   - arms: the counts of the builds in this epoch; nil to ask `counted` for them.
    ///   - counted: returns the counts of the builds at a state.
    package func releaseSteps(
        _ stored: StoredUpgrade?,
        _ arms: [ArmCounts]?,
        in store: any UpgradeStore,
        counted: (UpgradeState) async throws -> [ArmCounts]?
    ) async throws -> String? {
        guard let stored, releaseSteps(stored, nil) != nil else { return nil }
        if let builds = try await rolledBackBuilds(stored, in: store, counted: counted) {
            return releaseSteps(stored, builds)
        }
        if let arms { return releaseSteps(stored, arms) }
        return releaseSteps(stored, try await counted(stored.state))
    }

    /// Returns the builds that were rolled back, with their counts before the rollback; nil if none were. After a
    /// rollback, the candidate's builds count nothing.
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

    /// Returns the steps that the release process must take after a kill or a rollback, neither of which moves the
    /// users of a build with one side; nil if none.
    package func releaseSteps(_ stored: StoredUpgrade?, _ arms: [ArmCounts]?) -> String? {
        guard let stored, following(stored.state).comparesBuilds else { return nil }
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
            "no user has moved: each build has one side. Withdraw the builds with \(side.version)\(names) from distribution"
    }
}
