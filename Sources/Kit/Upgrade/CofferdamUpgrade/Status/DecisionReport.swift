/// A recomputed decision, as `explain --json` prints it and a server's page shows it.
package struct DecisionReport: Codable, Sendable, Hashable {
    package var capability: String
    /// The log entry of the decision; nil for the gate's current decision.
    package var entry: HistoryLine?
    /// The decision as recorded; nil if a person decided without the gate.
    package var decision: Decision?
    /// The steps that the team's release process must take: see ``CapabilityStatus/releaseSteps``.
    package var releaseSteps: String?
    /// The explanation, for people.
    package var explanation: String
    /// What the gate's reading lacks, and why; empty for a recorded decision, for which this is unknown.
    package var gaps: [String] = []
    /// Where the record contradicts its own numbers or the action taken; empty if it does not.
    package var contradictions: [String]
    /// Whether the current plan still has the gate that decided.
    package var matchesCurrentPlan: Bool

    /// Creates a report of the gate's current decision.
    package init(_ capability: String, _ decision: Decision, gaps: [String] = []) {
        self.capability = capability
        self.decision = decision
        self.gaps = gaps
        (explanation, contradictions, matchesCurrentPlan) = (decision.explanation, [], true)
    }

    /// Creates a report of a recorded decision, checked against its own numbers and against the action taken.
    package init(_ entry: AuditEntry, plan: UpgradePlan) {
        capability = entry.capability
        self.entry = HistoryLine(entry)
        guard let decision = entry.request.action.decision else {
            explanation = "No gate was asked: \(entry.request.by) decided, because: \(entry.request.reason)"
            (contradictions, matchesCurrentPlan) = ([], true)
            return
        }
        self.decision = decision
        explanation = decision.explanation
        var found = decision.contradictions()
        if let verdict = entry.request.action.neededVerdict, verdict != decision.verdict {
            found.append(
                "\(entry.request.action.name) needs \(verdict.rawValue), but the gate said \(decision.verdict.rawValue)"
            )
        }
        if decision.reading.stage != entry.before.stage || decision.reading.epoch != entry.before.epoch {
            found.append(
                "decided at \(decision.reading.stage), epoch \(decision.reading.epoch); it was \(entry.before.stage), epoch \(entry.before.epoch)"
            )
        }
        contradictions = found
        let gate = plan.attempt(entry.before.attempt).gate(at: entry.before.stage)
        matchesCurrentPlan = decision.gate.hasSamePlan(as: gate)
    }
}

/// A change that the rules refuse.
package struct RefusedChange: Error {
    package var refusal: UpgradeRefusal
    /// The gate's decision, if it is the gate that refuses.
    package var decision: DecisionReport?

    package init(_ refusal: UpgradeRefusal, decision: DecisionReport? = nil) {
        (self.refusal, self.decision) = (refusal, decision)
    }
}

extension UpgradeStore {
    /// Returns the recomputed decisions of the entry with that id, or else of all entries whose id begins with it.
    package func decisions(
        ofEntry id: String,
        of capability: String,
        plan: UpgradePlan
    ) async throws -> [DecisionReport] {
        let plan = try await read(capability).map { plan.following($0.state) } ?? plan
        if let entry = try await entry(id, of: capability) { return [DecisionReport(entry, plan: plan)] }
        let entries = try await history(of: capability, last: DecisionReport.longestHistory)
        return entries.filter { $0.id.hasPrefix(id) }.map { DecisionReport($0, plan: plan) }
    }
}

extension DecisionReport {
    /// The maximum number of entries to search for one.
    static let longestHistory = 10_000
}

extension UpgradeAction {
    /// The verdict of the gate that the action requires; nil if none.
    fileprivate var neededVerdict: GateVerdict? {
        switch self {
        case .promote: .promote
        case .retreat: .rollBack
        case .ask: .undecided
        case .advance, .rollBack, .abort, .kill, .resume, .override, .allow, .disallow, .measure, .recount,
            .replan:
            nil
        }
    }
}
