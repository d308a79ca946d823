/// What an upgrade tolerates, and how sure it wants to be. The numbers are for the whole upgrade; ``UpgradePlan`` splits them.
public struct GateSettings: Sendable, Hashable, Codable {
    /// p_max: a share of units that fails this often is not promoted.
    public var limit = 0.001
    /// What a good candidate has, as a part of ``limit``.
    public var targetPart = 0.1
    /// The chance that a candidate at the limit comes all the way.
    public var alpha = 0.01
    /// The chance that a candidate at its target is rolled back anywhere.
    public var alphaRollback = 0.01
    /// From 1, one more after each rollback. All attempts together stay within α: attempt j has 6/(π²j²) of it.
    public var attempt = 1
    /// After so many counted verdicts without a decision a person is asked.
    public var horizon = 50_000
    /// After so many seconds likewise.
    public var longestSeconds = 14 * 24 * 60 * 60
    /// Above this share of slow units the candidate is too slow.
    public var slowLimit = 0.01
    /// More units than this that say nothing, or show an expected difference without a rate of its own: hold.
    public var uncountedLimit = 0.1
    /// More disagreement of the legacy side with itself than this: hold.
    public var noiseLimit = 0.01
    /// For each expected difference's id the highest share of units that may show it.
    public var expectedRates: [String: Double] = [:]
    /// An app's own metrics of failures, and what is tolerated of each; they are tested like comparisons.
    public var additionalLimits: [Metric: Double] = [:]
    /// A frozen rate of the legacy side counts from so many on.
    public var fewestForBaseline = BaselineRecorder.fewestCalls

    public init() {}

    public static let defaults = GateSettings()

    /// `.defaults { $0.limit = 0.0001 }`
    public static func defaults(_ change: (inout GateSettings) -> Void) -> GateSettings {
        var settings = GateSettings()
        change(&settings)
        return settings
    }

    /// - Throws: ``GateError`` with `invalidSetting` for the first number that is not in its range.
    public func check() throws(GateError) {
        var probabilities = [
            ("limit", limit), ("targetPart", targetPart), ("alpha", alpha), ("alphaRollback", alphaRollback),
            ("slowLimit", slowLimit), ("uncountedLimit", uncountedLimit), ("noiseLimit", noiseLimit),
        ]
        for (metric, limit) in additionalLimits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            probabilities.append(("additionalLimits[\(metric)]", limit))
        }
        for (name, value) in probabilities where !(value > 0 && value < 1) {
            throw GateError(.invalidSetting, "\(value) is not between 0 and 1", subject: name)
        }
        for (id, rate) in expectedRates.sorted(by: { $0.key < $1.key }) where !(0...1).contains(rate) {
            throw GateError(.invalidSetting, "\(rate) is no share, 0 to 1", subject: "expectedRates[\(id)]")
        }
        let counts = [
            ("attempt", attempt), ("horizon", horizon), ("longestSeconds", longestSeconds),
            ("fewestForBaseline", fewestForBaseline),
        ]
        for (name, value) in counts where value < 1 {
            throw GateError(.invalidSetting, "\(value) is less than 1", subject: name)
        }
    }
}
