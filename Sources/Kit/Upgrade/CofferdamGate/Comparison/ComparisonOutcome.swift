package import Cofferdam  // operations, sides and differences

/// The outcome of a comparison. The cases are ordered from best to worst: a unit counts with its worst outcome.
public enum ComparisonOutcome: String, Sendable, Hashable, CaseIterable, Codable, CodingKeyRepresentable {
    /// Both answers are equal, or within tolerance.
    case match
    /// The other side was not asked, because the shadow queue was full.
    case dropped
    /// They differ only where the legacy side also differs from itself.
    case noisy
    /// They differ as expected.
    case expected
    /// Both failed, in the same way.
    case bothFailedAlike
    /// The legacy side did not answer in time; the candidate did.
    case legacyTimedOut
    /// The legacy side failed; the candidate answered.
    case legacyFailed
    /// They differ.
    case mismatch
    /// Both failed, each in its own way.
    case bothFailedUnlike
    /// The candidate did not answer in time; the legacy side did.
    case candidateTimedOut
    /// The candidate failed; the legacy side answered.
    case candidateFailed
    /// The caller cancelled before the first side answered. The call does not count.
    case cancelled

    package static func timedOut(_ side: Side) -> Self {
        switch side {
        case .legacy: .legacyTimedOut
        case .candidate: .candidateTimedOut
        }
    }

    /// Whether the outcome counts against the candidate: it is part of k.
    package var isAgainstCandidate: Bool {
        switch self {
        case .mismatch, .candidateFailed, .candidateTimedOut, .bothFailedUnlike: true
        default: false
        }
    }

    /// Whether the outcome counts at all: it is part of n.
    package var isCounted: Bool { self == .match || isAgainstCandidate }

    /// The side that failed or timed out alone; nil if neither or both did.
    package var failedAlone: Side? {
        switch self {
        case .legacyFailed, .legacyTimedOut: .legacy
        case .candidateFailed, .candidateTimedOut: .candidate
        default: nil
        }
    }
}

extension ComparisonOutcome: Comparable {
    /// Orders outcomes from the mildest to the most severe.
    public static func < (a: Self, b: Self) -> Bool { a.severity < b.severity }

    private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The number of units with each outcome, and the sums that the gate reads.
package struct OutcomeCounts: Sendable, Hashable, Codable {
    /// The counts above zero.
    package private(set) var counts: [ComparisonOutcome: Int] = [:]

    package init(_ counts: [ComparisonOutcome: Int] = [:]) {
        for (outcome, count) in counts { self[outcome] = count }
    }

    package subscript(_ outcome: ComparisonOutcome) -> Int {
        get { counts[outcome, default: 0] }
        set { counts[outcome] = newValue == 0 ? nil : newValue }
    }

    private func sum(where isWanted: (ComparisonOutcome) -> Bool) -> Int {
        ComparisonOutcome.allCases.reduce(0) { isWanted($1) ? $0 + self[$1] : $0 }
    }

    /// All outcomes except `cancelled`.
    package var sampled: Int { sum { $0 != .cancelled } }
    /// k of n: the outcomes against the candidate, of all that count.
    package var verdicts: FailureCounts { FailureCounts(sum(where: \.isAgainstCandidate), of: sum(where: \.isCounted)) }
    /// The outcomes that neither count nor are expected, of all sampled.
    package var uncounted: FailureCounts {
        FailureCounts(sampled - verdicts.total - self[.expected], of: sampled)
    }
    /// The units in which the legacy side disagreed with itself, of those compared.
    package var noise: FailureCounts { FailureCounts(self[.noisy], of: self[.noisy] + verdicts.total) }
    /// x₁ of x₁ + x₀: units in which only the candidate failed, of those in which exactly one side failed.
    package var pairedFailures: FailureCounts {
        FailureCounts(sum { $0.failedAlone == .candidate }, of: sum { $0.failedAlone != nil })
    }
}
