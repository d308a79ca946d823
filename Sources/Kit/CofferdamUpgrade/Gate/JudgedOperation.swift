/// How a gate judges one operation among its own callers. It is chosen when an attempt begins, from the legacy side's traffic
/// alone, so that no look at the candidate can steer it.
package struct JudgedOperation: Sendable, Hashable, Codable {
    package var name: String
    package var judgement: Judgement
    /// The share of its callers that may fail.
    package var limit: Double
    /// Whether it is compared in the shadow: a read is.
    package var isRead: Bool

    package enum Judgement: String, Sendable, Hashable, Codable {
        /// A promotion needs its test, and its rollback test is enough to go back.
        case fully
        /// Too few call it for a test of its own that a good candidate passes within the horizon, or the legacy side fails too often: no
        /// promotion waits for it. Its failures can hold one, or send the upgrade back.
        ///
        /// How much that lets through, of 400 whole upgrades at the standard limits through six gates, with a legacy side that was watched
        /// for 20,000 units and a candidate that is good but for one operation:
        ///
        /// | the operation's callers | of them fail | arrive | without the test that holds |
        /// |---|---|---|---|
        /// | 1 % of the units | 0.1 %, as a good one may | 396 | 400 |
        /// | 1 % | 1 %, its limit | 105 | 280 |
        /// | 1 % | 2 % | 4 | 68 |
        /// | 1 % | 5 %, 30 % | 0 | 0 |
        /// | 2 % | 1 %, its limit | 2 | 66 |
        /// | 0.2 % | 10 % | 2 | 67 |
        ///
        /// At a gate some two hundred units call an operation that 1 % call, and of so many a candidate at the limit fails for two. Where
        /// that is not enough, ``GateSettings/requiredOperations`` makes every promotion wait for the operation's own test.
        ///
        /// Two hundred callers of the legacy side say as little. Where both sides fail for 0.5 % of the callers 8 of 400 upgrades end
        /// with a question to a person, where both fail for 1 % 19; none is rolled back. Of a legacy side that was watched for 200,000
        /// units it is 1 and 0.
        case rollbackOnly
    }

    /// Those that the legacy side was seen to do, and those that a plan demands.
    ///
    /// - Parameter isRelative: whether the limits are added to what the legacy side itself fails for.
    static func all(
        _ settings: GateSettings,
        _ baseline: LegacyBaseline?,
        alpha: Double,
        isRelative: Bool
    ) -> [JudgedOperation] {
        let known = baseline?.operations ?? [:]
        return settings.requiredOperations.union(known.keys).sorted().map { name in
            let limit = settings.limit(of: name)
            var isJudged = settings.requiredOperations.contains(name)
            if !isJudged, let baseline, let operation = known[name] {
                func own(_ estimate: GateTest.Level.Estimate) -> Double { estimate.value(of: operation.units) ?? 0 }
                isJudged = isReachable(
                    operation.units.total,
                    of: baseline.units.total,
                    settings,
                    // Where it failed for few by luck, it would be waited for in vain.
                    failing: own(isRelative ? .upper : .rate),
                    below: limit + (isRelative ? own(.lower) : 0),
                    alpha
                )
            }
            return JudgedOperation(
                name: name,
                judgement: isJudged ? .fully : .rollbackOnly,
                limit: limit,
                isRead: known[name]?.isRead ?? true
            )
        }
    }

    /// Whether a good candidate passes the operation's test within the horizon, but for one of a thousand: it fails for its callers
    /// as often as the legacy side did, and for as many more of them as a good candidate fails for of all units.
    ///
    /// - Parameter own: what the legacy side failed for.
    private static func isReachable(
        _ watched: Int,
        of units: Int,
        _ settings: GateSettings,
        failing own: Double,
        below limit: Double,
        _ alpha: Double
    ) -> Bool {
        guard units > 0, limit < 1 else { return false }
        let callers = Int(min(1e12, Double(watched) / Double(units) * Double(settings.horizon)))
        let rate = own + settings.limit * settings.targetPart
        guard callers > 0, rate < limit else { return false }
        var failures = Int(rate * Double(callers))
        // P(more than k failures) = I_rate(k + 1, n − k), DLMF 8.17.5.
        while failures < callers,
            regularizedIncompleteBeta(rate, Double(failures + 1), Double(callers - failures)) > Self.missed
        {
            failures += 1
        }
        return SequentialRule.mixture(limit: limit).isReached(FailureCounts(failures, of: callers), alpha: alpha)
    }

    /// How many good candidates may wait for an operation in vain, at one gate.
    private static let missed = 0.001
}
