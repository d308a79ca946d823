import CofferdamUpgrade

/// What the commands do with upgrades: look at them, and move them.
struct UpgradeControls: Sendable {
    let storage: UpgradeStorage
    let environment: ToolEnvironment

    private var store: any UpgradeStore { storage.store }

    // MARK: Looking

    func status(of capabilities: [UpgradeTooling.Capability]) async throws -> [CapabilityStatus] {
        var statuses: [CapabilityStatus] = []
        for capability in capabilities {
            let (stored, now) = (try await store.read(capability.name), environment.now())
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
            status.delivery = try await delivery(of: capability, stored, status.arms)
            statuses.append(status)
        }
        return statuses
    }

    /// The newest first.
    func history(of capabilities: [UpgradeTooling.Capability], last count: Int) async throws -> [HistoryLine] {
        var entries: [AuditEntry] = []
        for capability in capabilities { entries += try await store.history(of: capability.name, last: count) }
        // Stable, so that the log's own order stands where the clocks say the same.
        let sorted = entries.enumerated().sorted { a, b in
            (b.element.request.at, a.offset) < (a.element.request.at, b.offset)
        }
        return sorted.prefix(count).map { HistoryLine($0.element) }
    }

    /// What the gate says now.
    ///
    /// - Throws: ``UpgradeRefusal`` where there is nothing that it could read.
    func explain(_ capability: UpgradeTooling.Capability) async throws -> DecisionReport {
        let (decision, gaps) = try await decision(on: capability)
        var report = DecisionReport(capability.name, decision, gaps: gaps)
        let stored = try await store.read(capability.name)
        report.delivery = try await delivery(of: capability, stored, decision.reading.arms)
        return report
    }

    /// What the delivery of builds must do now; nil for nothing.
    ///
    /// - Parameter arms: what the builds counted in this epoch; nil to ask for it.
    private func delivery(
        of capability: UpgradeTooling.Capability,
        _ stored: StoredUpgrade?,
        _ arms: [ArmCounts]?
    ) async throws -> String? {
        guard let stored, capability.plan.delivery(stored, nil) != nil else { return nil }
        if let builds = try await rolledBackBuilds(of: capability, stored) {
            return capability.plan.delivery(stored, builds)
        }
        if let arms { return capability.plan.delivery(stored, arms) }
        return capability.plan.delivery(stored, try await counted(stored.state))
    }

    /// The builds that were rolled back: in the epoch after it the candidate's count nothing. Nil where none were.
    private func rolledBackBuilds(
        of capability: UpgradeTooling.Capability,
        _ stored: StoredUpgrade
    ) async throws -> [ArmCounts]? {
        guard stored.state.waiting == .rolledBack, stored.kill?.target != .candidate else { return nil }
        let history = try await store.history(of: capability.name, last: Self.longestHistory)
        guard let entry = history.first(where: { $0.after.attempt > $0.before.attempt }) else { return nil }
        if case .retreat(let decision) = entry.request.action { return decision.reading.arms }
        var before = stored.state
        (before.stage, before.epoch) = (entry.before.stage, entry.before.epoch)
        return try await counted(before)
    }

    private func counted(_ state: UpgradeState) async throws -> [ArmCounts]? {
        let evidence = try await storage.evidence.answer(.init(state: state, now: environment.now(), last: 1))
        return evidence.snapshots.last?.reading.arms
    }

    /// The decisions of the lines whose id is that, or begins so.
    func explain(
        _ id: String,
        among capabilities: [UpgradeTooling.Capability]
    ) async throws -> [DecisionReport] {
        var reports: [DecisionReport] = []
        for capability in capabilities {
            if let entry = try await store.entry(id, of: capability.name) {
                return [DecisionReport(entry, plan: capability.plan)]
            }
            let entries = try await store.history(of: capability.name, last: Self.longestHistory)
            reports += entries.filter { $0.id.hasPrefix(id) }.map { DecisionReport($0, plan: capability.plan) }
        }
        return reports
    }

    private static let longestHistory = 10_000
    /// A day of minutes.
    private static let shownSnapshots = 1_440

    private func decision(on capability: UpgradeTooling.Capability) async throws -> (Decision, gaps: [String]) {
        let now = environment.now()
        let state = try await store.read(capability.name)?.state ?? .beforeFirstStep(of: capability, now: now)
        let evidence = try await storage.evidence.answer(.init(state: state, now: now, last: 1))
        guard let newest = evidence.snapshots.last else {
            let why = evidence.gaps.map { ": \($0)" }.joined()
            throw UpgradeRefusal(.noEvidence, "nothing is counted at \(state.stage), epoch \(state.epoch)\(why)")
        }
        do {
            let gate = try capability.plan.following(state).gate(at: state.stage)
            return (gate.decide(newest.reading), evidence.gaps)
        } catch {
            throw UpgradeRefusal(.unplanned, error.message)
        }
    }

    // MARK: Moving

    /// Makes the change for each, whatever came of the others.
    func change(
        _ capabilities: [UpgradeTooling.Capability],
        _ change: UpgradeMove,
        by: String,
        reason: String
    ) async throws -> ChangeReport {
        var report = ChangeReport()
        for capability in capabilities {
            let id = environment.newID()
            var judged: DecisionReport?
            do {
                let action: UpgradeAction
                switch change {
                case .certain(let certain): action = certain
                case .promote:
                    let (decision, gaps) = try await self.decision(on: capability)
                    judged = DecisionReport(capability.name, decision, gaps: gaps)
                    action = .promote(decision)
                }
                let watched = try await baseline(for: action, of: capability)
                let request = UpgradeRequest(
                    action,
                    by: by,
                    reason: reason,
                    at: environment.now(),
                    id: id,
                    baseline: watched?.baseline
                )
                let stored = try await store.carryOut(request, for: capability.name, plan: capability.plan)
                guard let entry = try await store.entry(id, of: capability.name) else {
                    throw UpgradeStoreError(
                        .outcomeUnknown,
                        "it is at \(stored.state.stage), and its log does not say why",
                        subject: capability.name
                    )
                }
                report.changes.append(HistoryLine(entry))
                // The change is made, whether its builds can be named or not.
                let named = try? await delivery(of: capability, stored, nil)
                if let delivery = named ?? capability.plan.delivery(stored, nil) {
                    report.withdraw = (report.withdraw ?? []) + ["\(capability.name): \(delivery)"]
                }
                if case .kill = action, entry.before.epoch == 0, entry.before.kill == nil {
                    report.neverBegun.append(capability.name)
                }
                if let gaps = watched?.gaps, !gaps.isEmpty {
                    report.missingBaselines.append(.init(capability: capability.name, gaps: gaps))
                }
            } catch let refusal as UpgradeRefusal {
                let decided = refusal.code == .otherVerdict ? judged : nil
                report.refused += ChangeReport(refusal, of: capability.name, decided: decided).refused
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                report.failed.append(.init(capability: capability.name, message: "\(error)", entry: id))
            }
        }
        return report
    }

    /// What the legacy side did, for the step that ends `legacyOnly`: it belongs to the state from that transition on. The step is taken
    /// without it where it cannot be read.
    ///
    /// - Returns: nil for every other step.
    private func baseline(
        for action: UpgradeAction,
        of capability: UpgradeTooling.Capability
    ) async throws -> CountedBaseline? {
        guard case .advance = action else { return nil }
        let now = environment.now()
        var state = try await store.read(capability.name)?.state ?? .beforeFirstStep(of: capability, now: now)
        guard state.stage == .legacyOnly else { return nil }
        // Nothing says since when the legacy side is watched before the first step.
        if state.epoch == 0 { state.since = min(state.since, now / 1_000 - Self.longestWatch) }
        let question = UpgradeEvidence.Question(state: state, now: now, last: 1)
        do {
            return try await storage.evidence.baseline(question, capability.plan.settings.fewestForBaseline)
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

/// What is to be done: known beforehand, or as the gate says now.
enum UpgradeMove: Sendable {
    case certain(UpgradeAction)
    case promote
}
