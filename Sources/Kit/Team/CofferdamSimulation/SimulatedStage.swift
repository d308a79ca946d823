import Cofferdam
import CofferdamSupport
import CofferdamGate

/// One stage of one run: counters as the gate reads them, which grow from event to event.
///
/// Only events that may send the upgrade back are examined one by one. Between them, the counters grow by many units at
/// once, up to the moment at which every promotion test can be expected to be reached. The gate's own code makes every
/// decision.
struct SimulatedStage {
    private let gate: Gate
    private let model: StageModel
    private let baseline: [Metric: FailureCounts]
    private let totals: PromotionTotals
    private let promotions: [GateTest]
    /// The check after each decisive event, by the event's place.
    private var checks: [Int: Check] = [:]
    private var counts: [FailureCounts]
    /// The number of units so far.
    private(set) var units = 0

    private struct Check {
        var gate: Gate
        var metrics: [Metric]
    }

    init(_ gate: Gate, _ model: StageModel, _ baseline: LegacyBaseline, _ totals: PromotionTotals) {
        (self.gate, self.model, self.totals) = (gate, model, totals)
        self.baseline = baseline.metrics
        promotions = gate.tests.filter { $0.role == .promote }
        counts = model.metrics.map { _ in .none }
    }

    /// Runs until the gate has decided.
    ///
    /// - Parameter asksAlways: whether the gate is asked after every event, even if it can only hold.
    mutating func run(_ random: inout SplitMix64, asksAlways: Bool = false) -> SingleGate.Ending {
        let eventChance = model.decisiveChances.reduce(0, +)
        // Set while the gate holds although its promotion tests should be reached; it is asked again after more units.
        var heldAt: Int?
        var missing = unitsToPromotion
        while true {
            let gap = random.trialsBeforeEvent(probability: eventChance)
            let left = unitsToHorizon
            var due = left
            if heldAt == nil, let missing { due = min(due, missing) }
            if let heldAt { due = min(due, max(1, heldAt / 20)) }
            var struck: Int?
            if due <= gap {
                advance(by: due, &random)
            } else {
                advance(by: gap, &random)
                struck = strike(&random)
            }
            let isSentBack = struck.map { sendsBack($0) } ?? false
            let isAtHorizon = unitsToHorizon == 0
            missing = unitsToPromotion
            let canPromote = missing == 0 && promotes
            heldAt = missing == 0 ? units : nil
            guard asksAlways || isSentBack || isAtHorizon || canPromote else { continue }
            let verdict = gate.decide(reading).verdict
            if verdict != .hold { return SingleGate.Ending(verdict: verdict, samples: counted) }
            if isAtHorizon { return SingleGate.Ending(verdict: .undecided, samples: counted) }
        }
    }

    // MARK: Counting

    subscript(metric: Metric) -> FailureCounts { model.place(known: metric).map { counts[$0] } ?? .none }

    /// The count that the horizon limits.
    private var counted: Int { self[gate.countedMetric].total }

    private mutating func add(_ delta: StageModel.Delta, times: Int) {
        guard times != 0 else { return }
        for (place, more) in delta {
            counts[place].failures += more.failures * times
            counts[place].total += more.total * times
        }
    }

    /// Adds units without a decisive event.
    private mutating func advance(by more: Int, _ random: inout SplitMix64) {
        guard more > 0 else { return }
        units += more
        let arms = model.arms
        let indecisive = arms.reduce(0) { $0 + $1.share * (1 - $1.decisiveChance) }
        var rest = more
        for (place, arm) in arms.enumerated() {
            let isLast = place == arms.count - 1
            let here = isLast ? rest : random.binomial(rest, arm.share * (1 - arm.decisiveChance) / indecisive)
            rest -= here
            guard here > 0 else { continue }
            var callers = arm.callers.map { _ in 0 }
            for operation in callers.indices {
                callers[operation] = operation == 1 ? here - callers[0] : random.binomial(here, arm.callers[operation])
            }
            var clean = here
            for strike in arm.batched {
                let struck = min(
                    clean,
                    callers[strike.operation],
                    random.binomial(here, strike.rate / (1 - arm.decisiveChance))
                )
                add(strike.whole, times: struck)
                add(strike.own, times: struck)
                clean -= struck
                callers[strike.operation] -= struck
            }
            add(arm.clean, times: clean)
            for operation in callers.indices { add(arm.own[operation], times: callers[operation]) }
        }
    }

    /// Adds a unit to which something decisive happens.
    ///
    /// - Returns: the place of the event in the model.
    private mutating func strike(_ random: inout SplitMix64) -> Int? {
        var rest = random.uniform() * model.decisiveChances.reduce(0, +)
        let place = model.decisiveChances.firstIndex { chance in
            rest -= chance
            return rest <= 0
        }
        guard let place else { return nil }
        let strike = model.decisive[place]
        units += 1
        add(strike.whole, times: 1)
        add(strike.own, times: 1)
        let operations = model.world.operations
        let own = model.arms[strike.arm].own
        if strike.operation > 1 { add(own[random.uniform() <= operations[0].share ? 0 : 1], times: 1) }
        for (other, operation) in operations.enumerated()
        where other > 1 && other != strike.operation && random.uniform() <= operation.share {
            add(own[other], times: 1)
        }
        return place
    }

    // MARK: Asking

    private var reading: GateReading {
        // Every known operation has its counts, even if it was not called.
        let read = gate.metrics.filter { !$0.isFamily && baseline[$0] == nil }
        return reading(of: Array(read.union(model.metrics)), baseline)
    }

    private func reading(of metrics: [Metric], _ baseline: [Metric: FailureCounts]) -> GateReading {
        var read = baseline
        for metric in metrics { read[metric] = self[metric] }
        for metric in metrics {
            guard let kind = metric.kindOfAnswer else { continue }
            if read[.legacyAnswers(kind)] == nil {
                read[.legacyAnswers(kind)] = FailureCounts(0, of: self.baseline[.legacyFailures]?.total ?? 0)
            }
            if metric == .candidateAnswers(kind) { read[metric]?.total = self[.activeUnits].failures }
        }
        return GateReading(
            stage: gate.stage,
            seconds: gate.shortestSeconds ?? 0,
            metrics: read,
            breaker: BreakerHistory(),
            isKept: true
        )
    }

    /// Whether a test of what has just been counted sends the upgrade back.
    private mutating func sendsBack(_ struck: Int) -> Bool {
        let check = checks[struck] ?? check(struck)
        checks[struck] = check
        guard !check.gate.tests.isEmpty else { return false }
        return check.gate.decide(reading(of: check.metrics, [:])).verdict == .rollBack
    }

    private func check(_ struck: Int) -> Check {
        let strike = model.decisive[struck]
        let failed = (strike.whole + strike.own).filter { $0.counts.failures > 0 }
        let touched = Set(failed.map { model.metrics[$0.place] })
        let tests = gate.tests.filter { test in
            guard test.role == .rollBack else { return false }
            return test.metric.isFamily
                ? touched.contains { $0.belongs(to: test.metric) } : touched.contains(test.metric)
        }
        let check = gate.only(tests.map { known($0) })
        return Check(gate: check, metrics: Array(touched.union(check.metrics.filter { !$0.isFamily })))
    }

    /// The same test with the rates that were known before the stage inserted, so that they are computed only once.
    private func known(_ test: GateTest) -> GateTest {
        func known(_ level: GateTest.Level) -> GateTest.Level {
            guard let metric = level.measured, baseline[metric] != nil else { return level }
            return .fixed(value(of: level))
        }
        var test = test
        test.rule =
            switch test.rule {
            case .mixture(let limit): .mixture(limit: known(limit))
            case .probabilityRatio(let target, let limit):
                .probabilityRatio(target: known(target), limit: known(limit))
            case .bayesFactor, .twoSidedBayesFactor, .ratio: test.rule
            }
        return test
    }

    /// Whether all tests for a promotion are reached.
    private var promotes: Bool {
        guard !promotions.isEmpty else { return false }
        let promotion = gate.only(promotions.map { known($0) })
        return promotion.decide(reading(of: Array(promotion.metrics), [:])).verdict == .promote
    }

    /// The expected number of further units until a promotion; nil if no number is enough, or if there is no promotion.
    private var unitsToPromotion: Int? {
        var units: Int? = promotions.isEmpty ? nil : 0
        for test in promotions {
            guard let now = units else { return nil }
            guard let place = model.place(known: test.metric), model.growth[place] > 0,
                let missing = missing(test, counts[place])
            else { return nil }
            units = max(now, Int((Double(max(0, missing)) / model.growth[place]).rounded(.up)))
        }
        return units
    }

    private func missing(_ test: GateTest, _ counts: FailureCounts) -> Int? {
        switch test.rule {
        case .mixture(let level):
            let rule = SequentialRule.mixture(limit: value(of: level))
            return totals.total(failures: counts.failures, rule, test.alpha).map { $0 - counts.total }
        case .ratio(let level, let factor):
            let share = value(of: level)
            guard share > 0, share < 1 else { return max(1, 100 - counts.total) }
            let rule = SequentialRule.ratio(share: share, factor: factor)
            // The share changes with every unit, so nothing is cached.
            if rule.isReached(counts, alpha: test.alpha) { return 0 }
            let total = SampleSizes.toReach(rule, failures: counts.failures, alpha: test.alpha, upTo: 100_000)
            return total.map { max(1, $0 - counts.total) }
        case .probabilityRatio, .bayesFactor, .twoSidedBayesFactor: return 0
        }
    }

    private func value(of level: GateTest.Level) -> Double {
        guard let metric = level.measured else { return level.fixed }
        let counts = baseline[metric] ?? self[metric]
        return level.rate(totals.value(of: counts, level.estimate))
    }

    private var unitsToHorizon: Int {
        guard let place = model.place(known: gate.countedMetric), model.growth[place] > 0 else { return 0 }
        let left = Double(gate.horizon - counts[place].total) / model.growth[place]
        return max(0, Int(left.rounded(.up)))
    }
}

extension Gate {
    /// The same gate with only those tests.
    fileprivate func only(_ tests: [GateTest]) -> Gate {
        var gate = self
        (gate.tests, gate.ceilings, gate.operations) = (tests, [], nil)
        return gate
    }
}

/// Caches the numbers of units from which promotion tests are reached, because every run asks the same questions.
final class PromotionTotals: Sendable {
    private struct Question: Hashable {
        var rule: SequentialRule
        var alpha: Double
        var failures: Int
    }

    private struct Bound: Hashable {
        var counts: FailureCounts
        var estimate: GateTest.Level.Estimate
    }

    private struct Known {
        var totals: [Question: Int?] = [:]
        var bounds: [Bound: Double] = [:]
    }

    private let known = Mutex(Known())

    func total(failures: Int, _ rule: SequentialRule, _ alpha: Double) -> Int? {
        let question = Question(rule: rule, alpha: alpha, failures: failures)
        return known.withLock { known in
            if let total = known.totals[question] { return total }
            let total = SampleSizes.toReach(rule, failures: failures, alpha: alpha, upTo: 10_000_000)
            known.totals[question] = .some(total)
            return total
        }
    }

    func value(of counts: FailureCounts, _ estimate: GateTest.Level.Estimate) -> Double {
        guard estimate != .rate else { return estimate.value(of: counts) ?? 0 }
        return known.withLock { known in
            let bound = Bound(counts: counts, estimate: estimate)
            if let value = known.bounds[bound] { return value }
            let value = estimate.value(of: counts) ?? 0
            known.bounds[bound] = value
            return value
        }
    }
}
