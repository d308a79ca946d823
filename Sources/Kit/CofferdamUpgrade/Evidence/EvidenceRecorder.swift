import Cofferdam

/// Counts what one capability's routes tell, for its gate.
///
/// The legacy side is watched at `legacyOnly`, as what every later stage is held against. From there on each epoch begins at
/// 0, with what was watched until then; a call that began in an earlier epoch and ends in this one counts in none. Calls of
/// nobody are not counted: units are.
public final class EvidenceRecorder: RouteObserver {
    private struct State {
        var evidence: EpochEvidence
        var baseline: BaselineRecorder
        /// The control's epoch that is counted.
        var epoch: Int
    }

    private let state: Mutex<State>
    private let callsPerUnit: Int
    private let makeKey: @Sendable (Stage) -> EpochKey

    /// - Parameters:
    ///   - key: what the counters of a stage are counted under; by default the stage alone.
    ///   - callsPerUnit: w: a unit counts with the worst verdict among so many first calls.
    ///   - fewestForBaseline: how many calls of the legacy side are enough to hold later ones against.
    public init(
        _ state: StageState = StageState(),
        callsPerUnit: Int = 1,
        fewestForBaseline: Int = BaselineRecorder.fewestCalls,
        key makeKey: @escaping @Sendable (Stage) -> EpochKey = { EpochKey(stage: $0) }
    ) {
        self.makeKey = makeKey
        self.callsPerUnit = callsPerUnit
        let stage = state.stage()
        self.state = Mutex(
            State(
                evidence: EpochEvidence(makeKey(stage), epoch: state.epoch, callsPerUnit: callsPerUnit),
                baseline: BaselineRecorder(callsPerUnit: callsPerUnit, fewest: fewestForBaseline),
                epoch: state.epoch
            )
        )
    }

    /// What was counted until now, for the gate.
    ///
    /// - Parameter seconds: for how long the epoch lasts.
    public func reading(afterSeconds seconds: Int, breaker: BreakerHistory? = nil) -> GateReading {
        state.withLock { $0.evidence.reading(afterSeconds: seconds, breaker: breaker) }
    }

    /// How the compared units came out.
    public var outcomes: OutcomeCounts { state.withLock { $0.evidence.outcomes } }

    public func called(_ call: RoutedCall) {
        guard let unit = call.unit, call.role == .first, let outcome = CallOutcome(call.outcome) else { return }
        state.withLock { state in
            guard follows(&state, epoch: call.epoch, stage: call.stage) else { return }
            if call.stage == .legacyOnly {
                state.baseline.record(outcome, took: call.duration, unit: unit)
            } else {
                state.evidence.record(outcome, by: call.side, unit: unit, took: call.duration)
            }
        }
    }

    public func compared(_ comparison: ShadowComparison) {
        guard let unit = comparison.unit else { return }
        state.withLock { state in
            guard follows(&state, epoch: comparison.epoch, stage: comparison.stage) else { return }
            state.evidence.record(comparison.outcome, unit: unit, expectation: comparison.expectation)
            // Where the candidate answers callers, its calls have been timed as such.
            guard comparison.stage.side == .legacy, let duration = comparison.durations[.candidate] else { return }
            state.evidence.record(duration, unit: unit)
        }
    }

    /// Begins the epoch of the first call that comes from it.
    ///
    /// - Returns: whether a call of that epoch counts.
    private func follows(_ state: inout State, epoch: Int, stage: Stage) -> Bool {
        if epoch > state.epoch {
            state.epoch = epoch
            state.evidence = EpochEvidence(
                makeKey(stage),
                epoch: epoch,
                baseline: state.baseline.frozen(),
                callsPerUnit: callsPerUnit
            )
        }
        return epoch == state.epoch && stage == state.evidence.key.stage
    }
}

extension CallOutcome {
    /// Nil for a call that was cancelled, which says nothing of its side.
    init?(_ outcome: RoutedCall.Outcome) {
        switch outcome {
        case .answered: self = .succeeded
        case .failed, .notOpened: self = .failed
        case .cancelled: return nil
        }
    }
}
