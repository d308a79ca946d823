import Cofferdam

/// One promotion test and one rollback test over the same verdicts, looked at after each: what a false rate does to them,
/// exactly and by simulation.
public struct SingleGate: Sendable {
    public let limit: Double
    public let alpha: Double
    public let alphaRollback: Double
    /// After so many verdicts it is undecided.
    public let horizon: Int

    /// Element k: with k failures it is promoted from so many verdicts on. Ends where that is beyond the horizon.
    let promotedFrom: [Int]
    private let rollBackRule: SequentialRule

    /// - Throws: ``GateError`` with `invalidSetting`.
    public init(_ settings: GateSettings = .defaults) throws(GateError) {
        try settings.check()
        self.init(
            limit: settings.limit,
            target: settings.limit * settings.targetPart,
            alpha: settings.alpha,
            alphaRollback: settings.alphaRollback,
            horizon: settings.horizon
        )
    }

    /// One gate of a plan, with its part of α.
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
        while let next = SampleSizes.toPromote(failures: totals.count, limit: limit, alpha: alpha, most: horizon) {
            totals.append(next)
        }
        return totals
    }

    func isRolledBack(_ counts: FailureCounts) -> Bool { rollBackRule.isReached(counts, alpha: alphaRollback) }

    /// How a run ended, and after how many verdicts.
    public struct Ending: Sendable, Hashable {
        public var verdict: GateVerdict
        public var samples: Int
    }

    /// One run at a true rate. Between failures only a promotion can happen, and its moment is known: a run costs its
    /// failures, not its samples.
    func run(rate: Double, _ random: inout SplitMix64) -> Ending {
        var counts = FailureCounts.none
        while true {
            let next = counts.total + random.quietTimes(before: rate) + 1
            if promotedFrom.indices.contains(counts.failures) {
                // Its own moment may have passed while there were fewer failures: not then, for it would have ended.
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
    /// How likely a candidate that fails for such a share of the units comes all the way, if it fails as often at every gate: by the
    /// exact programme, not by sampling.
    public func chanceToArrive(failing rate: Double) throws(GateError) -> Double {
        let chances = try SingleGate(settings, alpha: alpha, alphaRollback: alphaRollback).chances(rate: rate)
        return (0..<promotions).reduce(1.0) { chance, _ in chance * chances.promoted }
    }
}
