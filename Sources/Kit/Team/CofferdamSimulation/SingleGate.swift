import Cofferdam
import CofferdamSupport
package import CofferdamGate

/// One promotion test and one rollback test on the same verdicts, checked after each: their error rates, exactly and
/// by simulation.
package struct SingleGate: Sendable {
    package let limit: Double
    package let alpha: Double
    package let alphaRollback: Double
    /// The number of verdicts after which it is undecided.
    package let horizon: Int

    /// Element k: the number of verdicts from which k failures are promoted. Ends at the horizon.
    let promotedFrom: [Int]
    private let rollBackRule: SequentialRule

    /// - Throws: ``GateError`` with `invalidSetting`.
    package init(_ settings: GateSettings = .defaults) throws(GateError) {
        try settings.check()
        self.init(
            limit: settings.limit,
            target: settings.limit * settings.targetPart,
            alpha: settings.alpha,
            alphaRollback: settings.alphaRollback,
            horizon: settings.horizon
        )
    }

    /// Creates one gate of a plan, with its part of α.
    init(_ settings: GateSettings, alpha: Double, alphaRollback: Double) throws(GateError) {
        try settings.check()
        self.init(
            limit: settings.limit,
            target: settings.limit * settings.targetPart,
            alpha: alpha,
            alphaRollback: alphaRollback,
            horizon: settings.horizon
        )
    }

    private init(limit: Double, target: Double, alpha: Double, alphaRollback: Double, horizon: Int) {
        self.limit = limit
        self.alpha = alpha
        self.alphaRollback = alphaRollback
        self.horizon = horizon
        rollBackRule = .probabilityRatio(target: target, limit: limit)
        promotedFrom = Self.promotedFrom(limit: limit, alpha: alpha, horizon: horizon)
    }

    static func promotedFrom(limit: Double, alpha: Double, horizon: Int) -> [Int] {
        var totals: [Int] = []
        while let next = SampleSizes.toPromote(failures: totals.count, limit: limit, alpha: alpha, upTo: horizon) {
            totals.append(next)
        }
        return totals
    }

    func isRolledBack(_ counts: FailureCounts) -> Bool { rollBackRule.isReached(counts, alpha: alphaRollback) }

    /// How a run ended, and after how many verdicts.
    package struct Ending: Sendable, Hashable {
        package var verdict: GateVerdict
        package var samples: Int
    }

    /// One run at a true rate. Between failures only a promotion can happen, at a known moment, so the cost of a run
    /// depends on its failures and not on its samples.
    func run(rate: Double, _ random: inout SplitMix64) -> Ending {
        var counts = FailureCounts.none
        while true {
            let next = counts.total + random.trialsBeforeEvent(probability: rate) + 1
            if promotedFrom.indices.contains(counts.failures) {
                // Not before now: if this moment had come while there were fewer failures, the run would have ended.
                let promotion = max(promotedFrom[counts.failures], counts.total)
                if promotion < next { return Ending(verdict: .promote, samples: promotion) }
            }
            guard next <= horizon else { return Ending(verdict: .undecided, samples: horizon) }
            counts = FailureCounts(counts.failures + 1, of: next)
            if isRolledBack(counts) { return Ending(verdict: .rollBack, samples: next) }
        }
    }
}

extension UpgradePlan {
    /// The probability that a candidate with this failure rate at every gate is promoted all the way: computed exactly,
    /// not by sampling.
    package func chanceToArrive(failing rate: Double) throws(GateError) -> Double {
        let chances = try SingleGate(settings, alpha: alpha, alphaRollback: alphaRollback).chances(rate: rate)
        return (0..<promotions).reduce(1.0) { chance, _ in chance * chances.promoted }
    }
}

extension SingleGate {
    /// The chances of each ending, which add up to 1.
    package struct Chances: Sendable, Hashable, Codable {
        package var promoted = 0.0
        package var rolledBack = 0.0
        package var undecided = 0.0
    }

    /// The exact chances at a true rate. The distribution of the failures is advanced verdict by verdict, and the part
    /// that is promoted or rolled back leaves it. Nothing is sampled; the only error is the rounding of about horizon ×
    /// failures additions.
    package func chances(rate: Double) -> Chances {
        var chances = Chances()
        /// Element k: the chance of having k failures by now and still being undecided.
        var undecided = [1.0]
        for total in 1...horizon {
            undecided.append(0)
            for failures in stride(from: undecided.count - 1, to: 0, by: -1) {
                undecided[failures] = undecided[failures] * (1 - rate) + undecided[failures - 1] * rate
            }
            undecided[0] *= 1 - rate
            // The more failures, the sooner a rollback: runs with the most failures leave first.
            while let last = undecided.last, isRolledBack(FailureCounts(undecided.count - 1, of: total)) {
                chances.rolledBack += last
                undecided.removeLast()
            }
            for failures in undecided.indices where undecided[failures] > 0 {
                guard promotedFrom.indices.contains(failures), promotedFrom[failures] <= total else { break }
                chances.promoted += undecided[failures]
                undecided[failures] = 0
            }
            if undecided.isEmpty { break }
        }
        chances.undecided = undecided.reduce(0, +)
        return chances
    }
}
