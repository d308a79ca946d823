import Cofferdam

/// Counts the calls of the routes of one capability for its gate: by unit, each with its worst outcome in a window.
///
/// At `legacyOnly` it measures the legacy side. Later stages are compared with that baseline, once it is part of the
/// stored state. Each later epoch begins at 0; a call that began in an earlier epoch does not count. Calls without a
/// unit are not counted, and calls of named units count apart: see <doc:OperatingAnUpgrade#Named-units>. When an
/// expectation expires, counting restarts in the same epoch. While the breaker of the candidate is open, only named units
/// are counted.
public final class EvidenceRecorder: RouteObserver {
    struct State {
        var evidence: EpochEvidence
        var samples = DifferenceSamples()
        /// The durations of the calls of the legacy side, while it is measured.
        var durations = CallDurations()
        /// The baseline that this process measured when `legacyOnly` ended.
        var watched: LegacyBaseline?
        /// The baseline in the stored state.
        var known: LegacyBaseline?
        /// The epoch that is counted.
        var epoch: Int
        /// The number of expired expectations when counting began.
        var expired: Int
        /// Whether the counts outlive the process.
        var isKept = false
        /// Identifies the count beyond this process; nil until it was saved.
        var series: String?
        /// The saved counts belong to an abandoned upgrade.
        var replacesSaved = false
        /// Units of this epoch were counted that the store will never have.
        var lacksUnits = false
        /// This process stopped saving units of this epoch, because too many waited.
        var hasStoppedSaving = false
        /// The store has recorded `lacksUnits`.
        var isLossSaved = false
        /// The breakers that opened in this epoch, as they were saved last.
        var savedBreakers: [BreakerOpening] = []
        /// How long calls took on each side since the last save.
        var unsavedLatencies: [Side: DurationCounts] = [:]
        /// Openings and timed calls that were not saved yet.
        var unsavedOpenings = FailureCounts.none
        var unsavedTimed = 0
    }

    /// The default length of the window of a unit.
    public static let window = Duration.seconds(600)
    /// The default number of legacy calls for a baseline.
    public static let minimumBaselineCalls = CallDurations.minimumCalls
    /// The default margin above the p99 of the legacy side at which a call is slow.
    public static let slowMargin = Duration.milliseconds(5)
    /// The default number of windows that may wait to be saved: those of about 100,000 units that do one thing each.
    public static let maxUnsaved = 200_000

    let state: Mutex<State>
    let span: Duration
    let minimumBaselineCalls: Int
    let slowMargin: Duration
    let maxUnsaved: Int
    private let expectations: Expectations
    let breakers: Breakers?
    private let makeKey: @Sendable (Stage) -> EpochKey
    /// The time since this recorder was made.
    let elapsed: @Sendable () -> Duration
    /// Milliseconds since 1970.
    let wallTime: @Sendable () -> Int64

    /// - Parameters:
    ///   - state: the state that the routes follow.
    ///   - window: how long the calls of a unit count after its first call of an operation; at least one second.
    ///   - minimumBaselineCalls: how many calls of the legacy side make a baseline. Fewer than the default of 10,000 are
    ///     for rehearsals.
    ///   - slowMargin: the minimum margin above the p99 of the legacy side at which a call is slow.
    ///   - maxUnsaved: how many windows may wait to be saved, at least 1. A unit has one for each operation and one
    ///     for all together. If the store fails so long that there are more, the recorder stops saving units for the
    ///     rest of the epoch. It keeps counting, and its readings say that units are not kept, so that a person must
    ///     promote.
    ///   - expectations: the same as those of the routes.
    ///   - breakers: the same as those of the routes; without them a reading has no breaker history.
    ///   - makeKey: the key of a stage, without the expectations and the window; by default only the stage.
    ///   - clock: ends windows.
    ///   - now: milliseconds since 1970, for windows that outlive the process.
    public init(
        _ state: StageState = StageState(),
        window: Duration = EvidenceRecorder.window,
        minimumBaselineCalls: Int = EvidenceRecorder.minimumBaselineCalls,
        slowMargin: Duration = EvidenceRecorder.slowMargin,
        maxUnsaved: Int = EvidenceRecorder.maxUnsaved,
        expectations: Expectations = .none,
        breakers: Breakers? = nil,
        key makeKey: @escaping @Sendable (Stage) -> EpochKey = { EpochKey(stage: $0) },
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Int64 = WallTime.now
    ) {
        self.makeKey = makeKey
        self.expectations = expectations
        self.breakers = breakers
        self.minimumBaselineCalls = minimumBaselineCalls
        self.slowMargin = slowMargin
        self.maxUnsaved = max(1, maxUnsaved)
        span = max(.seconds(1), window)
        elapsed = Stopwatch(clock).elapsed
        wallTime = now
        let stage = state.stage()
        let key = Self.key(makeKey, at: stage, span, expecting: expectations)
        self.state = Mutex(
            State(
                evidence: EpochEvidence(key, epoch: state.epoch, window: span),
                epoch: state.epoch,
                expired: expectations.expired
            )
        )
    }

    // MARK: Reading

    /// The counts so far, for the gate.
    ///
    /// - Parameter seconds: the age of the epoch.
    public func reading(afterSeconds seconds: Int) -> GateReading {
        state.withLock { reading(&$0, afterSeconds: seconds) }
    }

    /// The counts so far in the epoch of that state, or in a later one if it has begun, and their key. Both are read
    /// at one moment.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func snapshot(of stored: UpgradeState, at now: Int64) -> (snapshot: EvidenceSnapshot, key: EpochKey) {
        let counted = counted(of: stored, at: now)
        return (counted.snapshot, counted.key)
    }

    /// The counts so far, for an instance of a fleet to export.
    package struct Counted: Sendable {
        package var snapshot: EvidenceSnapshot
        package var key: EpochKey
        /// Identifies the count beyond this process; nil until that is known.
        package var series: String?
        /// The measurement of the legacy side; nil after `legacyOnly`.
        package var legacy: LegacyWatch?
    }

    /// The same as ``snapshot(of:at:)``, with what a fleet needs.
    package func counted(of stored: UpgradeState, at now: Int64) -> Counted {
        let (snapshot, evidence, durations, series) = counts(of: stored, at: now)
        // Outside the lock, for which calls wait.
        let legacy = evidence.key.stage == .legacyOnly ? LegacyWatch(evidence, durations) : nil
        return Counted(snapshot: snapshot, key: evidence.key, series: series, legacy: legacy)
    }

    private func counts(
        of stored: UpgradeState,
        at now: Int64
    ) -> (EvidenceSnapshot, EpochEvidence, CallDurations, series: String?) {
        let seconds = Int(clamping: WallTime.since(stored.since, at: now / 1_000))
        return state.withLock { state in
            follow(stored, &state)
            let snapshot = EvidenceSnapshot(
                capability: stored.capability,
                at: now,
                reading: reading(&state, afterSeconds: seconds),
                outcomes: state.evidence.outcomes
            )
            return (snapshot, state.evidence, state.durations, state.series)
        }
    }

    private func reading(_ state: inout State, afterSeconds seconds: Int) -> GateReading {
        startAnewIfExpired(&state)
        state.evidence.settle(until: elapsed())
        // Read the breakers under the lock, so that their history belongs to the epoch that is counted.
        var reading = state.evidence.reading(
            afterSeconds: seconds,
            breaker: breakers?.history,
            isKept: state.isKept && !state.lacksUnits
        )
        // An expired difference is a mismatch, so none was expected: a gate that still asks reads 0.
        for expectation in expectations.agreed where reading.metrics[.expected(expectation.difference.id)] == nil {
            let sampled = state.evidence.outcomes.sampled
            reading.metrics[.expected(expectation.difference.id)] = FailureCounts(0, of: sampled)
        }
        return reading
    }

    /// The outcomes of the compared units.
    package var outcomes: OutcomeCounts { state.withLock { $0.evidence.outcomes } }

    /// The fields in which the two sides differed in this epoch.
    package var samples: DifferenceSamples { state.withLock { $0.samples } }

    /// The baseline: that of the stored state, or the one measured here so far; nil if there are too few calls.
    public var baseline: LegacyBaseline? {
        state.withLock { state in state.known ?? state.watched ?? watched(state) }
    }

    /// The baseline measured here, for the stored state.
    var watched: LegacyBaseline? { state.withLock { state in watched(state) ?? state.watched } }

    private func watched(_ state: State) -> LegacyBaseline? {
        guard state.evidence.key.stage == .legacyOnly else { return nil }
        return state.durations.limits(margin: slowMargin, minimum: minimumBaselineCalls).map(state.evidence.baseline)
    }

    // MARK: Counting

    /// Counts the call's outcome for its unit and operation.
    public func called(_ call: RoutedCall) {
        guard let unit = call.unit, call.role == .first, let ending = EpochEvidence.CallEnding(call.outcome) else {
            return
        }
        let isPaused = breakers?.isCandidateOpen ?? false
        state.withLock { state in
            guard follows(&state, epoch: call.epoch, stage: call.stage) else { return }
            guard !call.isNamed else { return recordNamed(call, unit, ending, &state) }
            // A build of the candidate that is out already says nothing about the legacy side.
            if call.side == .candidate, call.stage == .legacyOnly || call.stage == .aa { return }
            state.evidence.isPaused = isPaused
            if call.effect == .read, !call.isStream { state.evidence.reads.insert(call.operation) }
            if ending != .cancelled, let duration = call.duration {
                state.note([call.side: duration], of: call.operation)
            }
            var limit: Duration?
            if call.stage == .legacyOnly, let duration = call.duration {
                if ending == .cancelled {
                    // The limit so far is enough to detect that the caller waited too long.
                    limit = state.durations.limit(of: call.operation, margin: slowMargin)
                } else {
                    state.durations.record(duration, of: call.operation)
                    state.unsavedTimed += state.isKept ? 1 : 0
                }
            }
            state.evidence.record(
                ending,
                by: call.side,
                of: call.isStream ? nil : call.operation,
                unit: unit,
                answer: call.answer,
                took: call.duration,
                slowAfter: limit,
                at: elapsed()
            )
            stopSavingIfTooMany(&state)
        }
    }

    /// Counts a named unit, in no test and no baseline. A call of a named unit to the legacy side says nothing about
    /// the candidate.
    private func recordNamed(
        _ call: RoutedCall,
        _ unit: String,
        _ ending: EpochEvidence.CallEnding,
        _ state: inout State
    ) {
        guard call.side == .candidate else { return }
        state.evidence.recordNamed(
            ending,
            of: call.isStream ? nil : call.operation,
            unit: unit,
            answer: call.answer,
            took: call.duration,
            at: elapsed()
        )
        stopSavingIfTooMany(&state)
    }

    /// Counts the comparison's outcome for its unit and operation.
    public func compared(_ comparison: ShadowComparison) {
        guard let unit = comparison.unit else { return }
        let isPaused = breakers?.isCandidateOpen ?? false
        state.withLock { state in
            guard follows(&state, epoch: comparison.epoch, stage: comparison.stage) else { return }
            state.samples.record(comparison)
            state.evidence.isPaused = isPaused
            state.note(comparison.durations, of: comparison.operation)
            state.evidence.record(
                comparison.outcome,
                of: comparison.operation,
                unit: unit,
                expectation: comparison.expectation,
                durations: comparison.durations,
                at: elapsed()
            )
            stopSavingIfTooMany(&state)
        }
    }

    /// Counts the attempt to open the candidate, and whether it failed.
    public func opened(_ opening: SideOpening) {
        guard opening.side == .candidate else { return }
        state.withLock { state in
            state.evidence.recordOpening(isFailed: opening.isFailed)
            if state.isKept {
                state.unsavedOpenings = state.unsavedOpenings + FailureCounts(opening.isFailed ? 1 : 0, of: 1)
            }
        }
    }

    /// Ends the windows of a unit with its session. The unit is settled once earlier windows are; otherwise units
    /// with short sessions would be over-represented.
    public func sessionEnded(of unit: String) {
        state.withLock { $0.evidence.end(unit) }
    }

    // MARK: Epochs

    /// Begins the epoch of a stored state, before the first call of that epoch.
    func follow(_ stored: UpgradeState) { state.withLock { follow(stored, &$0) } }

    func follow(_ stored: UpgradeState, _ state: inout State) {
        state.known = stored.baseline
        _ = follows(&state, epoch: stored.epoch, stage: stored.stage)
        // Calls of this epoch may have been counted without its baseline: count again.
        guard stored.epoch == state.epoch, stored.stage == state.evidence.key.stage, stored.stage != .legacyOnly,
            let baseline = stored.baseline, state.evidence.baseline != baseline
        else { return }
        start(&state, at: stored.stage)
    }

    /// Begins the epoch of the first call of that epoch.
    ///
    /// - Returns: whether a call of that epoch counts.
    private func follows(_ state: inout State, epoch: Int, stage: Stage) -> Bool {
        if epoch > state.epoch {
            state.watched = watched(state) ?? state.watched
            state.epoch = epoch
            if stage == .legacyOnly { (state.durations, state.unsavedTimed) = (CallDurations(), 0) }
            start(&state, at: stage)
            breakers?.startEpoch()
        } else {
            startAnewIfExpired(&state)
        }
        return epoch == state.epoch && stage == state.evidence.key.stage
    }

    private func startAnewIfExpired(_ state: inout State) {
        guard expectations.expired != state.expired else { return }
        start(&state, at: state.evidence.key.stage)
    }

    /// The key of a stage.
    func key(of stage: Stage) -> EpochKey { Self.key(makeKey, at: stage, span, expecting: expectations) }

    func start(_ state: inout State, at stage: Stage) {
        state.expired = expectations.expired
        state.samples = DifferenceSamples()
        (state.unsavedOpenings, state.unsavedLatencies, state.savedBreakers, state.series) = (.none, [:], [], nil)
        (state.lacksUnits, state.hasStoppedSaving, state.isLossSaved) = (false, false, false)
        state.evidence = EpochEvidence(
            key(of: stage),
            epoch: state.epoch,
            baseline: stage == .legacyOnly ? nil : state.known ?? state.watched,
            window: span
        )
        if state.isKept { noteChanges(&state) }
    }

    private static func key(
        _ makeKey: (Stage) -> EpochKey,
        at stage: Stage,
        _ span: Duration,
        expecting expectations: Expectations
    ) -> EpochKey {
        guard stage != .legacyOnly else { return .baseline }
        var key = makeKey(stage)
        key.window = Int(span.components.seconds)
        key.expectations.merge(expectations.current.signatures) { _, agreed in agreed }
        return key
    }
}

extension EvidenceRecorder.State {
    /// Notes how long a call took on the sides that answered. While counting is paused, nothing is noted.
    fileprivate mutating func note(_ durations: [Side: Duration], of operation: String) {
        guard isKept, !evidence.isPaused else { return }
        for (side, duration) in durations {
            let nanoseconds = min(duration.wholeNanoseconds, DurationCounts.longest)
            unsavedLatencies[side, default: DurationCounts()]
                .add(1, of: DurationCounts.rounded(nanoseconds), in: operation)
        }
    }
}

extension EpochEvidence.CallEnding {
    /// Nil for a call that a breaker refused, which says nothing about its side.
    fileprivate init?(_ outcome: RoutedCall.Outcome) {
        switch outcome {
        case .answered: self = .answered
        case .failed, .notOpened: self = .failed
        case .cancelled: self = .cancelled
        case .refused: return nil
        }
    }
}
