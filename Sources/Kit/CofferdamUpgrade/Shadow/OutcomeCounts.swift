import Cofferdam

/// How often each outcome came, and what the gate makes of it.
public struct OutcomeCounts: Sendable, Hashable, Codable {
    /// Those that came at all.
    public private(set) var counts: [ComparisonOutcome: Int] = [:]

    public init(_ counts: [ComparisonOutcome: Int] = [:]) {
        for (outcome, count) in counts { self[outcome] = count }
    }

    public subscript(_ outcome: ComparisonOutcome) -> Int {
        get { counts[outcome, default: 0] }
        set { counts[outcome] = newValue == 0 ? nil : newValue }
    }

    private func sum(where isWanted: (ComparisonOutcome) -> Bool) -> Int {
        ComparisonOutcome.allCases.reduce(0) { isWanted($1) ? $0 + self[$1] : $0 }
    }

    /// All of them but the cancelled, which count for nothing.
    public var sampled: Int { sum { $0 != .cancelled } }
    /// k of n: against the candidate, of those that say anything about it.
    public var verdicts: FailureCounts { FailureCounts(sum(where: \.isAgainstCandidate), of: sum(where: \.isCounted)) }
    /// Those that say nothing about the candidate, and are not what was expected, of all sampled.
    public var uncounted: FailureCounts {
        FailureCounts(sampled - verdicts.total - self[.expected], of: sampled)
    }
    /// Those in which the legacy side disagreed with itself, of those that were compared.
    public var noise: FailureCounts { FailureCounts(self[.noisy], of: self[.noisy] + verdicts.total) }
    /// x₁ of x₁ + x₀: the candidate failed alone, of those in which one side failed alone.
    public var pairedFailures: FailureCounts {
        FailureCounts(sum { $0.failedAlone == .candidate }, of: sum { $0.failedAlone != nil })
    }
}
