/// One stage of a plan in a world: what can happen to a unit, how likely, and when the gate promotes if nothing does.
struct SimulatedStage: Sendable {
    let gate: Gate
    private let model: UpgradeModel
    private let promotedFrom: [Int]
    private let chances: [(event: UnitEvent, chance: Double)]
    /// Of all that is not ``UnitEvent/fine``.
    private let eventChance: Double

    /// - Returns: nil for a stage whose gate promotes nothing.
    init?(_ gate: Gate, _ model: UpgradeModel) {
        let reading = SimulatedCounts(gate.stage).reading(model)
        let promotion = gate.decide(reading).tests.first { $0.role == .promote }
        guard let promotion, case .mixture(let limit) = promotion.rule else { return nil }
        self.gate = gate
        self.model = model
        let alpha = exponential(-promotion.threshold)
        promotedFrom = SingleGate.promotedFrom(limit: limit, alpha: alpha, horizon: gate.horizon)
        chances = model.chances(at: gate.stage)
        let fine = chances.reduce(0) { $1.event == .fine ? $0 + $1.chance : $0 }
        eventChance = 1 - fine / chances.reduce(0) { $0 + $1.chance }
    }

    /// Runs until the gate has decided.
    func run(_ random: inout SimulationRandom) -> SingleGate.Ending {
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
            }
            let decision = gate.decide(counts.reading(model))
            if decision.verdict != .hold {
                return SingleGate.Ending(verdict: decision.verdict, samples: counts.tested.total)
            }
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
