public import Cofferdam  // operations, sides and differences

/// What came of calling both sides. The cases stand from the best to the worst: a unit counts with its worst.
public enum ComparisonOutcome: String, Sendable, Hashable, CaseIterable, Codable, CodingKeyRepresentable {
    /// Both say the same, or are within tolerance.
    case match
    /// Nobody asked the other side: its queue was full.
    case dropped
    /// They differ where the legacy side also differs from itself.
    case noisy
    /// They differ as was foreseen.
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
    /// The caller had gone before the first side answered; the call counts for nothing.
    case cancelled

    public static func timedOut(_ side: Side) -> Self {
        switch side {
        case .legacy: .legacyTimedOut
        case .candidate: .candidateTimedOut
        }
    }

    /// Whether it speaks against the candidate: one of k.
    public var isAgainstCandidate: Bool {
        switch self {
        case .mismatch, .candidateFailed, .candidateTimedOut, .bothFailedUnlike: true
        default: false
        }
    }

    /// Whether it says anything about the candidate: one of n.
    public var isCounted: Bool { self == .match || isAgainstCandidate }

    /// The one side that failed or did not answer in time; nil if none did, or both.
    public var failedAlone: Side? {
        switch self {
        case .legacyFailed, .legacyTimedOut: .legacy
        case .candidateFailed, .candidateTimedOut: .candidate
        default: nil
        }
    }
}

extension ComparisonOutcome: Comparable {
    public static func < (a: Self, b: Self) -> Bool { a.severity < b.severity }

    private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
