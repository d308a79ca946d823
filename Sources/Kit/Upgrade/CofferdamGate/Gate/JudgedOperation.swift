/// How a gate judges one operation among its own callers. This is decided when an attempt begins, from the legacy
/// side's traffic alone, so that nothing seen of the candidate can influence it.
package struct JudgedOperation: Sendable, Hashable, Codable {
    package var name: String
    package var judgement: Judgement
    /// The share of its callers that may fail.
    package var limit: Double
    /// Whether it is a read, which the shadow compares.
    package var isRead: Bool

    package enum Judgement: String, Sendable, Hashable, Codable {
        /// A promotion needs its test, and its rollback test alone is enough to go back.
        case fully
        /// Too few units call it for a separate test that a good candidate passes within the horizon, or the legacy
        /// side fails too often. No promotion waits for it, but its failures can hold one or send the upgrade back.
        ///
        /// What gets through, of 400 whole upgrades through six gates at the standard limits, with a legacy side that
        /// was watched for 20,000 units and a candidate that is good except for one operation:
        ///
        /// | callers of the operation | of which fail | upgrades that arrive | without the test that holds |
        /// |---|---|---|---|
        /// | 1 % of the units | 0.1 %, as a good one may | 396 | 400 |
        /// | 1 % | 1 %, its limit | 105 | 280 |
        /// | 1 % | 2 % | 4 | 68 |
        /// | 1 % | 5 %, 30 % | 0 | 0 |
        /// | 2 % | 1 %, its limit | 2 | 66 |
        /// | 0.2 % | 10 % | 2 | 67 |
        ///
        /// At a gate, about two hundred units call an operation that 1 % of the units call, and a candidate at the
        /// limit fails for two of them. If that is not enough, ``GateSettings/requiredOperations`` makes every
        /// promotion wait for the operation's own test.
        ///
        /// Two hundred callers of the legacy side show as little. If both sides fail for 0.5 % of the callers, 8 of 400
        /// upgrades end with a question to a person; if both fail for 1 %, 19 do. None is rolled back. With a legacy
        /// side that was watched for 200,000 units, the numbers are 1 and 0.
        case rollbackOnly
    }

    /// The operations of the baseline, and those that the plan requires.
    ///
    /// - Parameter isRelative: whether the limits are added to the legacy side's own failure rate.
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
                    // If it failed for few by luck, promotions would wait for it in vain.
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

    /// Whether all but one in a thousand good candidates pass the operation's test within the horizon. A good candidate
    /// fails for the callers as often as the legacy side did, plus as often as it fails for all units.
    ///
    /// - Parameter own: the legacy side's failure rate.
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
            regularizedIncompleteBeta(rate, Double(failures + 1), Double(callers - failures)) > Self.toleratedMisses
        {
            failures += 1
        }
        return SequentialRule.mixture(limit: limit).isReached(FailureCounts(failures, of: callers), alpha: alpha)
    }

    /// The share of good candidates that may wait for an operation in vain, at one gate.
    private static let toleratedMisses = 0.001
}
