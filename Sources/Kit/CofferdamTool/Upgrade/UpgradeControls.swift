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
            let stored = try await store.read(capability.name)
            let snapshots = try await storage.evidence.snapshots(
                of: capability.name,
                epoch: stored?.state.epoch ?? 0,
                last: Self.shownSnapshots
            )
            statuses.append(CapabilityStatus(capability, stored, snapshots, now: environment.now()))
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
        DecisionReport(capability.name, try await decision(on: capability))
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

    private func decision(on capability: UpgradeTooling.Capability) async throws -> Decision {
        let state = try await store.read(capability.name)?.state ?? UpgradeState(capability: capability.name, since: 0)
        let snapshots = try await storage.evidence.snapshots(of: capability.name, epoch: state.epoch, last: 1)
        guard let newest = snapshots.last else {
            throw UpgradeRefusal(.noEvidence, "nothing is counted at \(state.stage), epoch \(state.epoch)")
        }
        do {
            return try capability.plan.attempt(state.attempt).gate(at: state.stage).decide(newest.reading)
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
            var decision: Decision?
            do {
                let action: UpgradeAction
                switch change {
                case .certain(let certain): action = certain
                case .promote:
                    let now = try await self.decision(on: capability)
                    (decision, action) = (now, .promote(now))
                }
                let request = UpgradeRequest(action, by: by, reason: reason, at: environment.now(), id: id)
                let stored = try await store.carryOut(request, for: capability.name, plan: capability.plan)
                guard let entry = try await store.entry(id, of: capability.name) else {
                    throw UpgradeStoreError(
                        .outcomeUnknown,
                        "it is at \(stored.state.stage), and its log does not say why",
                        subject: capability.name
                    )
                }
                report.changes.append(HistoryLine(entry))
            } catch let refusal as UpgradeRefusal {
                let explanation = refusal.code == .otherVerdict ? decision?.explanation : nil
                report.refused += ChangeReport(refusal, of: capability.name, explanation: explanation).refused
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                report.failed.append(.init(capability: capability.name, message: "\(error)", entry: id))
            }
        }
        return report
    }
}

/// What is to be done: known beforehand, or as the gate says now.
enum UpgradeMove: Sendable {
    case certain(UpgradeAction)
    case promote
}
