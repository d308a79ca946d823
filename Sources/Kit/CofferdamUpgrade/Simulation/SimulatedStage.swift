import Cofferdam

/// One stage of a plan in a world: what can happen to a unit, how likely, and when the gate promotes if nothing does.
struct SimulatedStage: Sendable {
    let gate: Gate
    private let model: UpgradeModel
    private let promotedFrom: [Int]
    /// With what was measured before put in: it does not change in a stage.
    private let rollbackTests: [Decision.TestResult]
    private let chances: [(event: UnitEvent, chance: Double)]
    /// Of all that is not ``UnitEvent/fine``.
    private let eventChance: Double

    /// - Returns: nil for a stage whose gate promotes nothing.
    init?(_ gate: Gate, _ model: UpgradeModel) {
        let tests = gate.decide(SimulatedCounts(gate.stage).reading(model)).tests
        guard let promotion = tests.first(where: { $0.role == .promote }), case .mixture(let limit) = promotion.rule
        else { return nil }
        self.gate = gate
        self.model = model
        rollbackTests = tests.filter { $0.role == .rollBack }
        let alpha = exponential(-promotion.threshold)
        promotedFrom = SingleGate.promotedFrom(limit: limit, alpha: alpha, horizon: gate.horizon)
        chances = model.chances(at: gate.stage)
        let fine = chances.reduce(0) { $1.event == .fine ? $0 + $1.chance : $0 }
        eventChance = 1 - fine / chances.reduce(0) { $0 + $1.chance }
    }

    /// Runs until the gate has decided.
    ///
    /// - Parameter asksAlways: whether the gate is asked where it can only hold, too.
    func run(_ random: inout SplitMix64, asksAlways: Bool = false) -> SingleGate.Ending {
        var counts = SimulatedCounts(gate.stage)
        /// With how many failures the gate held at its moment, for another reason: it is not asked twice.
        var heldWith: Int?
        while true {
            let now = counts.tested
            let gap = random.quietTimes(before: eventChance)
            var stop = max(gate.horizon - now.total, 1)
            if promotedFrom.indices.contains(now.failures), heldWith != now.failures {
                stop = min(stop, max(promotedFrom[now.failures] - now.total, 0))
            }
            if stop <= gap {
                counts.add(.fine, units: stop)
                heldWith = now.failures
            } else {
                counts.add(.fine, units: gap)
                counts.add(event(random.uniform()), units: 1)
                guard asksAlways || isDue(counts.tested) || isRolledBack(counts) else { continue }
            }
            let decision = gate.decide(counts.reading(model))
            if decision.verdict != .hold {
                return SingleGate.Ending(verdict: decision.verdict, samples: counts.tested.total)
            }
        }
    }

    /// Whether the gate may promote, or ask a person.
    private func isDue(_ tested: FailureCounts) -> Bool {
        if tested.total >= gate.horizon { return true }
        return promotedFrom.indices.contains(tested.failures) && promotedFrom[tested.failures] <= tested.total
    }

    private func isRolledBack(_ counts: SimulatedCounts) -> Bool {
        rollbackTests.contains { test in
            let counts = counts[test.metric]
            return test.rule.leansItsWay(counts) && test.rule.logEvidence(counts) >= test.threshold
        }
    }

    private func event(_ uniform: Double) -> UnitEvent {
        let events = chances.filter { $0.event != .fine }
        var rest = uniform * events.reduce(0) { $0 + $1.chance }
        for (event, chance) in events {
            rest -= chance
            if rest <= 0 { return event }
        }
        return .fine
    }
}
