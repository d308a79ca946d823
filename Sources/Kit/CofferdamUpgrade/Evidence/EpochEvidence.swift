/// How a call of one side ended. The worse one is the greater one.
public enum CallOutcome: Int, Sendable, Hashable, Comparable, Codable {
    case succeeded, failed

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// All that is counted in one epoch. Each record costs O(1); the memory is bounded whatever is recorded.
public struct EpochEvidence: Sendable {
    public private(set) var key: EpochKey
    /// From 1, one more with each reset.
    public private(set) var epoch: Int
    /// The legacy side before this epoch, if it was watched.
    public private(set) var baseline: LegacyBaseline?
    /// While it is set nothing is counted, on either side: the candidate's breaker is open. A new epoch does not change it.
    public var isPaused = false

    private let callsPerUnit: Int
    private let capacity: Int
    var comparisons: UnitTally<Comparison>
    var legacy: UnitTally<CallOutcome>
    var candidate: UnitTally<CallOutcome>
    var speeds: UnitTally<CallOutcome>

    /// - Parameters:
    ///   - callsPerUnit: w: a unit counts with the worst verdict among so many first calls.
    ///   - capacity: how many units are remembered, at least as many as the gate's horizon.
    public init(
        _ key: EpochKey,
        epoch: Int = 1,
        baseline: LegacyBaseline? = nil,
        callsPerUnit: Int = 1,
        capacity: Int = 50_000
    ) {
        self.key = key
        self.epoch = epoch
        self.baseline = baseline
        self.callsPerUnit = callsPerUnit
        self.capacity = capacity
        comparisons = UnitTally(callsPerUnit: callsPerUnit, capacity: capacity)
        legacy = UnitTally(callsPerUnit: callsPerUnit, capacity: capacity)
        candidate = legacy
        speeds = legacy
    }

    /// A new epoch, from 0 and with its own baseline, if anything has changed; otherwise this one goes on.
    ///
    /// - Returns: whether a new epoch has started.
    @discardableResult
    public mutating func startsAnew(under key: EpochKey, baseline: LegacyBaseline? = nil) -> Bool {
        guard key != self.key else { return false }
        let wasPaused = isPaused
        self = EpochEvidence(
            key,
            epoch: epoch + 1,
            baseline: baseline,
            callsPerUnit: callsPerUnit,
            capacity: capacity
        )
        isPaused = wasPaused
        return true
    }

    /// Both sides were asked.
    ///
    /// - Parameter expectation: the id of the expected difference, for the outcome `expected`. Where it is none of the
    ///   epoch's, nobody expected it: a mismatch.
    public mutating func record(_ outcome: ComparisonOutcome, unit: String, expectation: String? = nil) {
        guard !isPaused, outcome != .cancelled else { return }
        var comparison = Comparison(outcome: outcome)
        if outcome == .expected {
            let isForeseen = expectation.map { key.expectations[$0] != nil } ?? false
            comparison =
                isForeseen ? Comparison(outcome: .expected, expectation: expectation) : Comparison(outcome: .mismatch)
        }
        comparisons.record(comparison, unit: unit)
    }

    /// The side that was the unit's first choice was asked. A call that fell back, a shadow call and a refusal of the
    /// breaker's are no first choices, and are not recorded; a cancelled call neither.
    ///
    /// - Parameter duration: how long the candidate took; nil where it says nothing.
    public mutating func record(_ outcome: CallOutcome, by side: Side, unit: String, took duration: Duration? = nil) {
        guard !isPaused else { return }
        switch side {
        case .legacy: legacy.record(outcome, unit: unit)
        case .candidate: candidate.record(outcome, unit: unit)
        }
        if side == .candidate, let duration { record(duration, unit: unit) }
    }

    /// The candidate took that long, as the first choice or in the shadow. Not recorded without a baseline: nobody knows
    /// what slow is then.
    public mutating func record(_ duration: Duration, unit: String) {
        guard !isPaused, let baseline else { return }
        speeds.record(baseline.isSlow(duration) ? .failed : .succeeded, unit: unit)
    }

    /// What was counted, by units. Units that were forgotten before they had made their calls are among the dropped.
    public var outcomes: OutcomeCounts {
        var outcomes = OutcomeCounts()
        for (comparison, count) in comparisons.counts { outcomes[comparison.outcome] += count }
        outcomes[.dropped] += comparisons.abandoned
        return outcomes
    }

    /// The counters, as the gate reads them.
    ///
    /// - Parameter seconds: for how long this epoch lasts.
    public func reading(afterSeconds seconds: Int, breaker: BreakerHistory? = nil) -> GateReading {
        let outcomes = outcomes
        let (failedHere, failedThere) = (candidate.counts[.failed, default: 0], legacy.counts[.failed, default: 0])
        // Where processes ended before any unit was answered, there is one at least.
        let active = max(candidate.started, min(1, candidate.counted))
        var metrics: [Metric: FailureCounts] = [
            .comparison: outcomes.verdicts,
            .uncounted: outcomes.uncounted,
            .noise: outcomes.noise,
            .pairedFailures: outcomes.pairedFailures,
            .candidateFailures: FailureCounts(failedHere, of: candidate.counted),
            .canaryFailures: FailureCounts(failedHere, of: failedHere + failedThere),
            .activeUnits: FailureCounts(active, of: active + legacy.started),
        ]
        for id in key.expectations.keys {
            let seen = comparisons.counts[Comparison(outcome: .expected, expectation: id), default: 0]
            metrics[.expected(id)] = FailureCounts(seen, of: outcomes.sampled)
        }
        if let baseline {
            metrics[.slow] = FailureCounts(speeds.counts[.failed, default: 0], of: speeds.counted)
            metrics[.legacySlow] = baseline.slow
            metrics[.legacyFailures] = baseline.failures
        }
        return GateReading(stage: key.stage, epoch: epoch, seconds: seconds, metrics: metrics, breaker: breaker)
    }

    struct Comparison: Sendable, Hashable, Comparable {
        var outcome: ComparisonOutcome
        var expectation: String?

        static func < (a: Self, b: Self) -> Bool {
            a.outcome != b.outcome ? a.outcome < b.outcome : (a.expectation ?? "") < (b.expectation ?? "")
        }
    }
}
