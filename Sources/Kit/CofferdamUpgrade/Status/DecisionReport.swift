/// A decision that was computed again, as `explain --json` prints it and a server's page shows it.
package struct DecisionReport: Codable, Sendable, Hashable {
    package var capability: String
    /// The line of the log whose decision it is; nil for what the gate says now.
    package var entry: HistoryLine?
    /// As it was recorded; nil where a person decided, without the gate.
    package var decision: Decision?
    /// What the delivery must do, because no kill switch can: see ``CapabilityStatus``.
    package var delivery: String?
    /// For people.
    package var explanation: String
    /// What the gate's reading lacks, and why; unknown for a recorded decision.
    package var gaps: [String] = []
    /// Where the record is not what its own numbers give; empty for a true one.
    package var contradictions: [String]
    /// Whether the gate is the one that the plan has there today.
    package var isOfThisPlan: Bool

    /// What the gate says now.
    package init(_ capability: String, _ decision: Decision, gaps: [String] = []) {
        self.capability = capability
        self.decision = decision
        self.gaps = gaps
        (explanation, contradictions, isOfThisPlan) = (decision.explanation, [], true)
    }

    /// A record, held against its own numbers and against what was done with it.
    package init(_ entry: AuditEntry, plan: UpgradePlan) {
        capability = entry.capability
        self.entry = HistoryLine(entry)
        guard let decision = entry.request.action.decision else {
            explanation = "No gate was asked: \(entry.request.by) decided, because: \(entry.request.reason)"
            (contradictions, isOfThisPlan) = ([], true)
            return
        }
        self.decision = decision
        explanation = decision.explanation
        var found = decision.contradictions()
        if let verdict = entry.request.action.neededVerdict, verdict != decision.verdict {
            found.append(
                "\(entry.request.action.name) needs \(verdict.rawValue), and the gate said \(decision.verdict.rawValue)"
            )
        }
        if decision.reading.stage != entry.before.stage || decision.reading.epoch != entry.before.epoch {
            found.append(
                "decided at \(decision.reading.stage), epoch \(decision.reading.epoch); it was \(entry.before.stage), epoch \(entry.before.epoch)"
            )
        }
        contradictions = found
        do {
            let gate = try plan.attempt(entry.before.attempt).gate(at: entry.before.stage)
            isOfThisPlan = decision.gate.isOfOnePlan(with: gate)
        } catch {
            isOfThisPlan = false
        }
    }
}

/// A change that the rules refuse.
package struct RefusedMove: Error {
    package var refusal: UpgradeRefusal
    /// What the gate says, where it is the gate that refuses.
    package var decision: DecisionReport?

    package init(_ refusal: UpgradeRefusal, decision: DecisionReport? = nil) {
        (self.refusal, self.decision) = (refusal, decision)
    }
}

extension UpgradeStore {
    /// The decisions of the entries whose id is that, or begins so, computed again.
    package func decisions(
        ofEntry id: String,
        of capability: String,
        plan: UpgradePlan
    ) async throws -> [DecisionReport] {
        if let entry = try await entry(id, of: capability) { return [DecisionReport(entry, plan: plan)] }
        let entries = try await history(of: capability, last: DecisionReport.longestHistory)
        return entries.filter { $0.id.hasPrefix(id) }.map { DecisionReport($0, plan: plan) }
    }
}

extension DecisionReport {
    /// How many entries are searched for one.
    static let longestHistory = 10_000
}

extension UpgradeAction {
    /// What the gate must have said.
    fileprivate var neededVerdict: GateVerdict? {
        switch self {
        case .promote: .promote
        case .retreat: .rollBack
        case .ask: .undecided
        case .advance, .rollBack, .abort, .kill, .resume, .override, .allow, .disallow, .measure, .recount: nil
        }
    }
}
