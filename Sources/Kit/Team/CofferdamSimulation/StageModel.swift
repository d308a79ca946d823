import Cofferdam
import CofferdamSupport
import CofferdamGate

/// Everything that can happen at one stage of a world, as numbers to add up; made once for all runs.
struct StageModel: Sendable {
    /// Amounts to add to counters, by the places of the counters.
    typealias Delta = [(place: Int, counts: FailureCounts)]

    /// The units that one side answers.
    struct Arm: Sendable {
        var side: Side
        var share: Double
        var clean: Delta
        /// The delta of each operation.
        var own: [Delta]
        /// The chance that a unit calls an operation, if nothing decisive happens to it.
        var callers: [Double]
        /// The chance that something decisive happens to a unit.
        var decisiveChance: Double
        /// Events that change no rollback test, and are drawn for many units at once.
        var batched: [Strike]
    }

    struct Strike: Sendable {
        var arm: Int
        var operation: Int
        /// The rate among the arm's units.
        var rate: Double
        var whole: Delta
        var own: Delta
    }

    let stage: Stage
    let world: SimulatedWorld
    private(set) var metrics: [Metric] = []
    private var places: [Metric: Int] = [:]
    private(set) var arms: [Arm] = []
    /// Events that may send the upgrade back; each is examined when it happens.
    private(set) var decisive: [Strike] = []
    /// The chance of each decisive event, among all units.
    private(set) var decisiveChances: [Double] = []
    /// The average growth of each counter's total with each unit.
    private(set) var growth: [Double] = []

    init(_ stage: Stage, _ world: SimulatedWorld, _ slow: [String: Int64], _ random: inout SplitMix64) {
        self.stage = stage
        var world = world
        let baseline = world.baseline(slow, &random)
        if let pace = world.pace {
            let isCompared = stage.kind == .shadow || stage.kind == .candidateShadowed
            for operation in world.operations {
                guard let limit = baseline.slowLimit(of: operation.name) else { continue }
                for side in [Side.legacy, .candidate] {
                    let rate = pace.slow(side, than: limit, isShadowed: isCompared)
                    world.faults.append(.init(.slow, by: side, of: operation.name, rate: rate))
                }
            }
        }
        self.world = world
        for (side, share) in stage.arms(missing: world.missing) { add(side, share, baseline) }
        decisiveChances = decisive.map { $0.rate * arms[$0.arm].share }
        growth = metrics.map { _ in 0 }
        for arm in arms {
            grow(arm.share, arm.clean)
            for (place, operation) in world.operations.enumerated() {
                grow(arm.share * operation.share, arm.own[place])
            }
        }
        for strike in decisive + arms.flatMap(\.batched) {
            let arm = arms[strike.arm]
            let rate = strike.rate * arm.share
            grow(rate, strike.whole)
            grow(rate, strike.own)
            grow(-rate, arm.clean)
            grow(-rate, arm.own[strike.operation])
        }
    }

    private mutating func grow(_ rate: Double, _ delta: Delta) {
        for (place, counts) in delta { growth[place] += rate * Double(counts.total) }
    }

    private mutating func add(_ side: Side, _ share: Double, _ baseline: LegacyBaseline) {
        let place = arms.count
        let visits = world.operations.indices.map {
            SimulatedVisit(at: stage, by: side, of: $0, nil, in: world, baseline)
        }
        var arm = Arm(
            side: side,
            share: share,
            clean: delta(visits[0].whole),
            own: visits.map { delta($0.own) },
            callers: [],
            decisiveChance: 0,
            batched: []
        )
        var struck = world.operations.map { _ in 0.0 }
        for (fault, operation, rate) in world.strikes() {
            let visit = SimulatedVisit(at: stage, by: side, of: operation, fault, in: world, baseline)
            let strike = Strike(
                arm: place,
                operation: operation,
                rate: rate,
                whole: delta(visit.whole),
                own: delta(visit.own)
            )
            guard
                strike.whole.map(\.counts) != arm.clean.map(\.counts)
                    || strike.whole.map(\.place) != arm.clean.map(\.place)
            else { continue }
            let isInWay = stage.arms.count > 1 && side == .legacy
            let isPairedSlowness = fault.kind == .slow && stage.compares(side)
            if fault.side == .candidate, !isInWay, !isPairedSlowness {
                decisive.append(strike)
                struck[operation] += rate
            } else {
                arm.batched.append(strike)
            }
        }
        arm.decisiveChance = struck.reduce(0, +)
        arm.callers = world.callers(struck)
        arms.append(arm)
    }

    private mutating func delta(_ counts: [Metric: FailureCounts]) -> Delta {
        counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { (place(of: $0.key), $0.value) }
    }

    private mutating func place(of metric: Metric) -> Int {
        if let place = places[metric] { return place }
        places[metric] = metrics.count
        metrics.append(metric)
        return metrics.count - 1
    }

    /// The place of a metric; nil if no visit changes it.
    func place(known metric: Metric) -> Int? { places[metric] }
}

extension Stage {
    /// The sides that answer units, each with its share of those that report.
    ///
    /// - Parameter missing: the share of the candidate's units that do not, below 1.
    fileprivate func arms(missing: Double) -> [(side: Side, share: Double)] {
        let reporting = arms.map { ($0.side, $0.share * ($0.side == .candidate ? 1 - missing : 1)) }
        let all = reporting.reduce(0) { $0 + $1.1 }
        return reporting.map { ($0.0, $0.1 / all) }
    }
}

extension SimulatedWorld {
    /// The chance that a unit which none of `struck` affects calls each operation.
    fileprivate func callers(_ struck: [Double]) -> [Double] {
        let all = struck.reduce(0, +)
        let other = all - struck.prefix(2).reduce(0, +)
        return operations.enumerated().map { place, operation in
            // A fault of another operation says nothing about this one, but a unit calls only one of the first two.
            let elsewhere = place < 2 ? other : all - struck[place]
            return max(0, min(1, (operation.share - struck[place] - operation.share * elsewhere) / (1 - all)))
        }
    }
}
