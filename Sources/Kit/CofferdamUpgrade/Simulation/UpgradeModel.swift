/// What two sides do, as rates for each unit: a world to try a plan in.
public struct UpgradeModel: Sendable, Hashable, Codable {
    /// The candidate says something else.
    public var mismatch: Double
    /// The candidate fails alone.
    public var candidateFailure: Double
    /// The legacy side fails alone.
    public var legacyFailure: Double
    /// The candidate is slower than the limit.
    public var slow: Double
    /// The legacy side is.
    public var legacySlow: Double

    public init(
        mismatch: Double = 0,
        candidateFailure: Double = 0,
        legacyFailure: Double = 0,
        slow: Double = 0,
        legacySlow: Double = 0
    ) {
        self.mismatch = mismatch
        self.candidateFailure = candidateFailure
        self.legacyFailure = legacyFailure
        self.slow = slow
        self.legacySlow = legacySlow
    }

    /// How many calls the legacy side was watched for before.
    static let baselineCalls = 20_000

    func baseline(_ rate: Double) -> FailureCounts {
        FailureCounts(Int((rate * Double(Self.baselineCalls)).rounded()), of: Self.baselineCalls)
    }
}
