/// The limits and error rates of an upgrade. The numbers apply to the whole upgrade; ``UpgradePlan`` splits them.
public struct GateSettings: Sendable, Hashable, Codable {
    /// p_max: the failure rate of units at which a candidate must not be promoted. A unit counts with the worst outcome
    /// of all its operations.
    public var limit = EpochKey.standardMargin
    /// The limit of a single operation among its own callers, as a multiple of ``limit``. Each operation has a test of its
    /// own, so that a fault in a rare one does not vanish among the units that never call it. It is a multiple, because
    /// a good candidate would otherwise wait for the rarest operation. `JudgedOperation.Judgement.rollbackOnly` says
    /// which faults of rare operations get through.
    public var operationFactor = 10.0
    /// The limits of single operations for which ``operationFactor`` is too high or too low.
    public var operationLimits: [String: Double] = [:]
    /// Operations whose own test every promotion needs, however rarely they are called.
    public var requiredOperations: Set<String> = []
    /// ρ: if the legacy side itself fails for more than ``limit`` of the units, the candidate may fail for at most this
    /// many times as many. Nil to hold it to ``limit`` anyway.
    public var relativeFactor: Double?
    /// The failure rate of a good candidate, as a part of ``limit``.
    public var targetPart = 0.1
    /// The probability that a candidate at the limit is promoted all the way.
    public var alpha = 0.01
    /// The probability that a candidate at its target is rolled back anywhere.
    public var alphaRollback = 0.01
    /// The number of the attempt, from 1; it increases with each rollback. All attempts together stay within α: attempt
    /// j has 6/(π²j²) of it.
    package var attempt = 1
    /// After this many counted units without a decision, a person is asked.
    public var horizon = 50_000
    /// A stage at which the candidate answers some units, other than its last one, takes at least this many seconds: a
    /// fault of the evening is not seen in the morning.
    public var shortestSeconds = 24 * 60 * 60
    /// After this many seconds without a decision, a person is asked.
    public var longestSeconds = 14 * 24 * 60 * 60
    /// The gate holds if more than this share of the units do not count, or show an expected difference without a rate
    /// of its own.
    public var uncountedLimit = 0.1
    /// The gate holds if the legacy side disagrees with itself for more than this share of the units.
    public var noiseLimit = 0.01
    /// The highest share of units that may show an expected difference, by its id: see ``tolerate(_:)``.
    public var expectedRates: [String: Double] = [:]
    /// Failure metrics of the app and their limits, tested like comparisons.
    public var additionalLimits: [Metric: Double] = [:]
    /// The installations whose evidence counts for a promotion. Evidence of all counts for a rollback.
    ///
    /// Only a `cofferdam-server` knows installations: with another value than `all`, no other gate promotes.
    public var promotionCounts = CountedInstallations.all
    /// The minimum number of legacy calls for a baseline.
    public var minimumBaselineCalls = LatencyHistogram.minimumCalls

    /// Without the number of the attempt, which is that of the state.
    private enum CodingKeys: String, CodingKey {
        case limit, operationFactor, operationLimits, requiredOperations, relativeFactor, targetPart, alpha
        case alphaRollback, horizon, shortestSeconds, longestSeconds, uncountedLimit, noiseLimit, expectedRates
        case additionalLimits, promotionCounts, minimumBaselineCalls
    }

    /// Sets the rate of each agreed difference that has none.
    public mutating func tolerate(_ agreed: [AgreedDifference]) {
        for agreed in agreed where expectedRates[agreed.difference.id] == nil {
            expectedRates[agreed.difference.id] = agreed.rate
        }
    }

    /// Creates the default settings.
    public init() {}

    /// The default settings.
    public static let defaults = GateSettings()

    /// Creates settings that differ from the defaults: `.defaults { $0.limit = 0.0001 }`.
    public static func defaults(_ change: (inout GateSettings) -> Void) -> GateSettings {
        var settings = GateSettings()
        change(&settings)
        return settings
    }

    /// Decodes settings of other versions too: what they do not have keeps its default.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            value = try values.decodeIfPresent(Value.self, forKey: key) ?? value
        }
        try read(.limit, into: &limit)
        try read(.operationFactor, into: &operationFactor)
        try read(.operationLimits, into: &operationLimits)
        try read(.requiredOperations, into: &requiredOperations)
        try read(.relativeFactor, into: &relativeFactor)
        try read(.targetPart, into: &targetPart)
        try read(.alpha, into: &alpha)
        try read(.alphaRollback, into: &alphaRollback)
        try read(.horizon, into: &horizon)
        try read(.shortestSeconds, into: &shortestSeconds)
        try read(.longestSeconds, into: &longestSeconds)
        try read(.uncountedLimit, into: &uncountedLimit)
        try read(.noiseLimit, into: &noiseLimit)
        try read(.expectedRates, into: &expectedRates)
        try read(.additionalLimits, into: &additionalLimits)
        try read(.promotionCounts, into: &promotionCounts)
        try read(.minimumBaselineCalls, into: &minimumBaselineCalls)
    }

    /// The tolerated failure rate of an operation among its own callers.
    func limit(of operation: String) -> Double { operationLimits[operation] ?? operationLimit }

    /// At most 0.5, or ``limit`` if that is higher.
    private var operationLimit: Double { min(limit * operationFactor, max(limit, 0.5)) }

    /// - Throws: ``GateError`` with `invalidSetting` for the first number that is not in its range.
    package func check() throws(GateError) {
        var probabilities = [
            ("limit", limit), ("targetPart", targetPart), ("alpha", alpha), ("alphaRollback", alphaRollback),
            ("uncountedLimit", uncountedLimit), ("noiseLimit", noiseLimit),
        ]
        for (operation, limit) in operationLimits.sorted(by: { $0.key < $1.key }) {
            probabilities.append(("operationLimits[\(operation)]", limit))
        }
        for (metric, limit) in additionalLimits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            probabilities.append(("additionalLimits[\(metric)]", limit))
        }
        for (name, value) in probabilities where !(value > 0 && value < 1) {
            throw GateError(.invalidSetting, "\(value) is not between 0 and 1", subject: name)
        }
        guard operationFactor >= 1, operationFactor.isFinite else {
            throw GateError(
                .invalidSetting,
                "\(operationFactor) is less than 1: no operation can be held to less than all of them together",
                subject: "operationFactor"
            )
        }
        // A target at the limit cannot be distinguished from it, and units that mostly do not count decide nothing.
        for (name, value) in [
            ("targetPart", targetPart), ("uncountedLimit", uncountedLimit), ("noiseLimit", noiseLimit),
        ]
        where value > 0.5 {
            throw GateError(.invalidSetting, "\(value) is above 0.5: no number of units would be enough", subject: name)
        }
        if let relativeFactor, !(relativeFactor >= 1.1 && relativeFactor <= 100) {
            throw GateError(
                .invalidSetting,
                "\(relativeFactor) is not between 1.1 and 100: near 1 a good candidate cannot be distinguished from a worse one",
                subject: "relativeFactor"
            )
        }
        guard alpha <= 0.1, alphaRollback <= 0.1 else {
            throw GateError(
                .invalidSetting,
                "above 0.1, one wrong verdict in ten would be accepted",
                subject: alpha > 0.1 ? "alpha" : "alphaRollback"
            )
        }
        for (id, rate) in expectedRates.sorted(by: { $0.key < $1.key }) where !(0...1).contains(rate) {
            throw GateError(.invalidSetting, "\(rate) is not between 0 and 1", subject: "expectedRates[\(id)]")
        }
        let counts = [
            ("attempt", attempt), ("horizon", horizon), ("longestSeconds", longestSeconds),
            ("minimumBaselineCalls", minimumBaselineCalls),
        ]
        for (name, value) in counts where value < 1 {
            throw GateError(.invalidSetting, "\(value) is less than 1", subject: name)
        }
        guard shortestSeconds >= 0, shortestSeconds < longestSeconds else {
            throw GateError(
                .invalidSetting,
                "\(shortestSeconds) is not between 0 and longestSeconds, \(longestSeconds)",
                subject: "shortestSeconds"
            )
        }
    }
}
