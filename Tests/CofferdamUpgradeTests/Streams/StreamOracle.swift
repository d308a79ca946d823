import Cofferdam
import CofferdamUpgrade

/// Compares what a schedule's subscriber received with what happened: nothing lost and nothing repeated, except for
/// explicit gaps and for what the legacy side itself lost.
struct StreamOracle {
    private let simulation: StreamSimulation
    private var delivered: [Int: Int] = [:]
    private(set) var gaps = 0
    private(set) var recovered = 0
    private(set) var violations: [String] = []

    init(_ simulation: StreamSimulation) {
        self.simulation = simulation
        checkOrder()
        checkLosses()
        checkTakeovers()
    }

    private mutating func checkOrder() {
        var newest = -1
        for (index, element) in simulation.delivered.enumerated() {
            switch element {
            case .event(let event, _):
                if delivered[event.number] != nil { violations.append("\(event.number) is delivered twice") }
                if event.number < newest { violations.append("\(event.number) is delivered after \(newest)") }
                newest = max(newest, event.number)
                delivered[event.number] = index
            case .recovered(let event):
                recovered += 1
                if delivered[event.number] != nil { violations.append("\(event.number) is delivered twice") }
                if event.number > newest { violations.append("\(event.number) is recovered before its time") }
                delivered[event.number] = index
            case .gap: gaps += 1
            case .acknowledged, .replayEnded: break
            }
        }
        for event in simulation.events {
            guard let deleted = event.deletes, let deletion = delivered[event.number], let item = delivered[deleted]
            else {
                continue
            }
            if item > deletion { violations.append("\(deleted) is delivered after its deletion") }
        }
    }

    /// Every event that no gap covers was delivered, or never arrived.
    private mutating func checkLosses() {
        guard let first = simulation.subscriptions.first, let begin = first.begins else { return }
        // The port decides what the first side's replay is for.
        let oldest = first.side == .candidate ? begin - simulation.manners.replay : begin
        let end =
            simulation.hasFailed ? simulation.delivered.compactMap(\.number).max() ?? -1 : simulation.events.count - 1
        let gaps = coveredByGaps()
        let lostByLegacy = simulation.subscriptions.reduce(into: Set<Int>()) { $0.formUnion($1.skipped) }
        for event in simulation.events where event.number >= begin && event.number <= end {
            guard delivered[event.number] == nil, !lostByLegacy.contains(event.number) else { continue }
            if !gaps.contains(where: { $0.contains(event.number) }) { violations.append("\(event.number) is lost") }
        }
        for number in delivered.keys where number < oldest {
            violations.append("\(number) is older than the subscription")
        }
    }

    private func coveredByGaps() -> [Range<Int>] {
        simulation.delivered.indices.compactMap { index in
            guard case .gap(let after, let before) = simulation.delivered[index] else { return nil }
            let next =
                before ?? simulation.delivered[index...].lazy.compactMap(\.number).first ?? simulation.events.count
            return (after ?? -1)..<max(after ?? -1, next)
        }
    }

    /// From the first event that both sides sent, everything that the new side sent is delivered.
    private mutating func checkTakeovers() {
        for takeover in simulation.takeovers {
            let before = Set(
                simulation.delivered[..<takeover.delivered].compactMap { element in
                    if case .recovered(let event) = element { event.number } else { element.number }
                }
            )
            var known: Set<Int> = []
            let received = simulation.subscriptions[takeover.subscription].received.filter {
                known.insert($0.number).inserted
            }
            guard let common = received.firstIndex(where: { before.contains($0.number) }) else { continue }
            for event in received[common...] where delivered[event.number] == nil {
                let deletion = simulation.events.first { $0.deletes == event.number }
                if deletion.flatMap({ delivered[$0.number] }) == nil {
                    violations.append("\(event.number) is not delivered, and the side that took over knew it")
                }
            }
        }
    }
}
