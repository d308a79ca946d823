import Cofferdam

/// Counts what one capability's routes tell, for its gate.
///
/// The legacy side is watched at `legacyOnly`, as what every later stage is held against. From there on each epoch begins at
/// 0, with what was watched until then; a call that began in an earlier epoch and ends in this one counts in none. Calls of
/// nobody are not counted: units are. When an expectation expires all begins at 0 again, in the same epoch of the control, and
/// while the candidate's breaker is open nothing is counted.
public final class EvidenceRecorder: RouteObserver {
    struct State {
        var evidence: EpochEvidence
        var samples = DifferenceSamples()
        var baseline: BaselineRecorder
        /// The control's epoch that is counted.
        var epoch: Int
        /// How many expectations had expired when the counting began.
        var expired: Int
        /// What was saved is of an upgrade that is no more.
        var replacesSaved = false
    }

    let state: Mutex<State>
    let callsPerUnit: Int
    private let expectations: Expectations
    private let breakers: Breakers?
    private let makeKey: @Sendable (Stage) -> EpochKey

    /// - Parameters:
    ///   - callsPerUnit: w: a unit counts with the worst verdict among so many first calls.
    ///   - fewestForBaseline: how many calls of the legacy side are enough to hold later ones against.
    ///   - expectations: the routes' own.
    ///   - breakers: the routes' own; without them the readings say nothing of a breaker.
    ///   - key: what the counters of a stage are counted under, beside the expectations; by default the stage alone.
    public init(
        _ state: StageState = StageState(),
        callsPerUnit: Int = 1,
        fewestForBaseline: Int = BaselineRecorder.fewestCalls,
        expectations: Expectations = .none,
        breakers: Breakers? = nil,
        key makeKey: @escaping @Sendable (Stage) -> EpochKey = { EpochKey(stage: $0) }
    ) {
        self.makeKey = makeKey
        self.callsPerUnit = callsPerUnit
        self.expectations = expectations
        self.breakers = breakers
        let key = Self.key(makeKey(state.stage()), expecting: expectations)
        self.state = Mutex(
            State(
                evidence: EpochEvidence(key, epoch: state.epoch, callsPerUnit: callsPerUnit),
                baseline: BaselineRecorder(callsPerUnit: callsPerUnit, fewest: fewestForBaseline),
                epoch: state.epoch,
                expired: expectations.expired
            )
        )
    }

    /// What was counted until now, for the gate.
    ///
    /// - Parameter seconds: for how long the epoch lasts.
    public func reading(afterSeconds seconds: Int) -> GateReading {
        state.withLock { reading(&$0, afterSeconds: seconds) }
    }

    /// What was counted until now in that state's epoch, or in a later one if that has begun, and under which key: all of one moment.
    ///
    /// - Parameter now: in milliseconds since 1970.
    public func snapshot(of stored: UpgradeState, at now: Int64) -> (snapshot: EvidenceSnapshot, key: EpochKey) {
        let seconds = Int(clamping: WallTime.since(stored.since, at: now / 1_000))
        return state.withLock { state in
            _ = follows(&state, epoch: stored.epoch, stage: stored.stage)
            let snapshot = EvidenceSnapshot(
                capability: stored.capability,
                at: now,
                reading: reading(&state, afterSeconds: seconds),
                outcomes: state.evidence.outcomes
            )
            return (snapshot, state.evidence.key)
        }
    }

    private func reading(_ state: inout State, afterSeconds seconds: Int) -> GateReading {
        startAnewIfExpired(&state)
        // The breakers are asked under the lock: what they tell is of the epoch that is counted.
        var reading = state.evidence.reading(afterSeconds: seconds, breaker: breakers?.history)
        // What has expired is a mismatch, so that none came as expected: a gate that still asks is told so.
        for expectation in expectations.agreed where reading.metrics[.expected(expectation.difference.id)] == nil {
            let sampled = state.evidence.outcomes.sampled
            reading.metrics[.expected(expectation.difference.id)] = FailureCounts(0, of: sampled)
        }
        return reading
    }

    /// How the compared units came out.
    public var outcomes: OutcomeCounts { state.withLock { $0.evidence.outcomes } }

    /// Where the two sides differed in this epoch.
    public var samples: DifferenceSamples { state.withLock { $0.samples } }

    /// What the candidate is held against in this epoch, if enough was watched before it.
    public var baseline: LegacyBaseline? { state.withLock { $0.evidence.baseline } }

    public func called(_ call: RoutedCall) {
        guard let unit = call.unit, call.role == .first, let outcome = CallOutcome(call.outcome) else { return }
        let isPaused = breakers?.isCandidateOpen ?? false
        state.withLock { state in
            guard follows(&state, epoch: call.epoch, stage: call.stage) else { return }
            state.evidence.isPaused = isPaused
            if call.stage == .legacyOnly {
                state.baseline.record(outcome, took: call.duration, unit: unit)
            } else {
                state.evidence.record(outcome, by: call.side, unit: unit, took: call.duration)
            }
        }
    }

    public func compared(_ comparison: ShadowComparison) {
        guard let unit = comparison.unit else { return }
        let isPaused = breakers?.isCandidateOpen ?? false
        state.withLock { state in
            guard follows(&state, epoch: comparison.epoch, stage: comparison.stage) else { return }
            state.samples.record(comparison)
            state.evidence.isPaused = isPaused
            state.evidence.record(comparison.outcome, unit: unit, expectation: comparison.expectation)
            // Where the candidate answers callers, its calls have been timed as such.
            guard comparison.stage.side == .legacy, let duration = comparison.durations[.candidate] else { return }
            state.evidence.record(duration, unit: unit)
        }
    }

    /// Begins the epoch of the first call that comes from it.
    ///
    /// - Returns: whether a call of that epoch counts.
    func follows(_ state: inout State, epoch: Int, stage: Stage) -> Bool {
        if epoch > state.epoch {
            state.epoch = epoch
            start(&state, at: stage, baseline: state.baseline.frozen())
            breakers?.startEpoch()
        } else {
            startAnewIfExpired(&state)
        }
        return epoch == state.epoch && stage == state.evidence.key.stage
    }

    private func startAnewIfExpired(_ state: inout State) {
        guard expectations.expired != state.expired else { return }
        start(&state, at: state.evidence.key.stage, baseline: state.evidence.baseline)
    }

    /// What is counted at a stage is counted under that.
    func key(of stage: Stage) -> EpochKey { Self.key(makeKey(stage), expecting: expectations) }

    func start(_ state: inout State, at stage: Stage, baseline: LegacyBaseline?) {
        state.expired = expectations.expired
        state.samples = DifferenceSamples()
        state.evidence = EpochEvidence(
            key(of: stage),
            epoch: state.epoch,
            baseline: baseline,
            callsPerUnit: callsPerUnit
        )
    }

    static func key(_ key: EpochKey, expecting expectations: Expectations) -> EpochKey {
        var key = key
        key.expectations.merge(expectations.current.signatures) { _, agreed in agreed }
        return key
    }
}

extension CallOutcome {
    /// Nil for a call that was cancelled or refused, which says nothing of its side.
    init?(_ outcome: RoutedCall.Outcome) {
        switch outcome {
        case .answered: self = .succeeded
        case .failed, .notOpened: self = .failed
        case .cancelled, .refused: return nil
        }
    }
}
