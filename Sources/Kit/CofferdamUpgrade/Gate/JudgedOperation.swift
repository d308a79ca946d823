/// How a gate judges one operation among its own callers. It is chosen when an attempt begins, from the legacy side's traffic
/// alone, so that no look at the candidate can steer it.
public struct JudgedOperation: Sendable, Hashable, Codable {
    public var name: String
    public var judgement: Judgement
    /// The share of its callers that may fail.
    public var limit: Double
    /// Whether it is compared in the shadow: a read is.
    public var isRead: Bool

    public enum Judgement: String, Sendable, Hashable, Codable {
        /// A promotion needs its test, and its rollback test is enough to go back.
        case fully
        /// Too few call it for a test of its own that a good candidate passes within the horizon: it can send the upgrade back, and
        /// not hold it up.
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
