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
        /// Too few call it for a test of its own within the horizon: it can send the upgrade back, and not hold it up.
        case rollbackOnly
    }

    /// Those that the legacy side was seen to do, and those that a plan demands.
    static func all(_ settings: GateSettings, _ baseline: LegacyBaseline?, alpha: Double) -> [JudgedOperation] {
        let known = baseline?.operations ?? [:]
        return settings.requiredOperations.union(known.keys).sorted().map { name in
            let limit = settings.limit(of: name)
            let isJudged =
                settings.requiredOperations.contains(name)
                || hasEnoughCallers(
                    known[name]?.units.total ?? 0,
                    of: baseline?.units.total ?? 0,
                    settings,
                    limit,
                    alpha
                )
            return JudgedOperation(
                name: name,
                judgement: isJudged ? .fully : .rollbackOnly,
                limit: limit,
                isRead: known[name]?.isRead ?? true
            )
        }
    }

    /// Whether so many clean callers as its test needs come by within the horizon.
    private static func hasEnoughCallers(
        _ callers: Int,
        of units: Int,
        _ settings: GateSettings,
        _ limit: Double,
        _ alpha: Double
    ) -> Bool {
        guard units > 0, let needed = SampleSizes.toPromote(failures: 0, limit: limit, alpha: alpha) else {
            return false
        }
        return Double(callers) / Double(units) * Double(settings.horizon) >= Double(needed)
    }
}
