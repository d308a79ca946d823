import Cofferdam

/// Counts what one capability's routes tell, for its gate: units, each with the worst that it lived through in a window.
///
/// The legacy side is watched at `legacyOnly`; what it did there is what every later stage is held against, as soon as the upgrade's
/// state has it. From there on each epoch begins at 0; a call that began in an earlier epoch and ends in this one counts in none.
/// Calls without a unit are not counted, and those of named units count apart: see ``NamedUnits``. When an expectation expires all begins
/// at 0 again, in the same epoch of the control, and while the candidate's breaker is open nothing is counted but for named units.
public final class EvidenceRecorder: RouteObserver {
    struct State {
        var evidence: EpochEvidence
        var samples = DifferenceSamples()
        /// How long the legacy side's calls take, while it is watched.
        var durations = CallDurations()
        /// What was watched here when `legacyOnly` ended.
        var watched: LegacyBaseline?
        /// What the state says of the legacy side.
        var known: LegacyBaseline?
        /// The control's epoch that is counted.
        var epoch: Int
        /// How many expectations had expired when the counting began.
        var expired: Int
        /// Whether what is counted is kept beyond the process.
        var isKept = false
        /// Names what is counted, beyond the end of the process; nil until it was saved.
        var series: String?
        /// What was saved is of an upgrade that is no more.
        var replacesSaved = false
        /// Of this epoch units were counted that are not in the store and never will be, by this process or by another.
        var hasLost = false
        /// This process has stopped saving units of this epoch: too many waited.
        var hasStoppedSaving = false
        /// The store knows of ``hasLost``.
        var isLossSaved = false
        /// Openings that were not saved yet, and calls that were timed.
        var unsavedOpenings = FailureCounts.none
        var unsavedTimed = 0
    }

    /// How long a unit's window lasts where nothing else is said.
    public static let window = Duration.seconds(600)
    /// How many of the legacy side's calls make a baseline where nothing else is said.
    public static let fewestForBaseline = CallDurations.fewestCalls
    /// How much slower than the legacy side's p99 a call must be to be slow, where nothing else is said.
    public static let slowMargin = Duration.milliseconds(5)
    /// How many units' windows may wait to be saved where nothing else is said: those of some 100,000 units that do one thing each.
    public static let mostUnsaved = 200_000

    let state: Mutex<State>
    let span: Duration
    let fewestForBaseline: Int
    let slowMargin: Duration
    let mostUnsaved: Int
    private let expectations: Expectations
    private let breakers: Breakers?
    private let makeKey: @Sendable (Stage) -> EpochKey
    /// Since this recorder was made.
    let elapsed: @Sendable () -> Duration
    /// Milliseconds since 1970.
    let wallTime: @Sendable () -> Int64

    /// - Parameters:
    ///   - window: for how long after its first call of an operation a unit's calls count, at least a second: less is taken as that.
    ///   - fewestForBaseline: how many calls of the legacy side are enough to hold later ones against. Fewer than the 10,000 of the
    ///     default are for rehearsals.
    ///   - slowMargin: how much slower than the legacy side's p99 a call must be, at least, to be slow.
    ///   - mostUnsaved: how many windows may wait to be saved, at least 1; less is taken as that. A unit has one for each operation and
    ///     one for all together. Where the store fails for so long that there are more, the recorder stops keeping single units for
    ///     the rest of the epoch: it goes on counting them here, and its readings say that they are not kept, so that a person must
    ///     promote.
    ///   - expectations: the routes' own.
    ///   - breakers: the routes' own; without them the readings say nothing of a breaker.
    ///   - makeKey: what the counters of a stage are counted under, beside the expectations and the window; by default the stage alone.
    ///   - clock: by which windows end.
    ///   - now: milliseconds since 1970, for windows that outlive the process.
    public init(
        _ state: StageState = StageState(),
        window: Duration = EvidenceRecorder.window,
        fewestForBaseline: Int = EvidenceRecorder.fewestForBaseline,
        slowMargin: Duration = EvidenceRecorder.slowMargin,
        mostUnsaved: Int = EvidenceRecorder.mostUnsaved,
        expectations: Expectations = .none,
        breakers: Breakers? = nil,
        key makeKey: @escaping @Sendable (Stage) -> EpochKey = { EpochKey(stage: $0) },
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Int64 = WallTime.now
    ) {
        self.makeKey = makeKey
        self.expectations = expectations
        self.breakers = breakers
        self.fewestForBaseline = fewestForBaseline
        self.slowMargin = slowMargin
        self.mostUnsaved = max(1, mostUnsaved)
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
        let counted = counted(of: stored, at: now)
        return (counted.snapshot, counted.key)
    }

    /// What was counted until now, for an instance of a fleet to tell.
    package struct Counted: Sendable {
        package var snapshot: EvidenceSnapshot
        package var key: EpochKey
        /// The name of what is counted where it goes on beyond the process: nil until that is known.
        package var series: String?
        /// What is watched of the legacy side; nil where that has ended.
        package var legacy: LegacyWatch?
    }

    /// The same as ``snapshot(of:at:)``, with what only a fleet needs.
    package func counted(of stored: UpgradeState, at now: Int64) -> Counted {
        let (snapshot, evidence, durations, series) = counts(of: stored, at: now)
        // Not under the lock, for which calls wait.
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
        // The breakers are asked under the lock: what they tell is of the epoch that is counted.
        var reading = state.evidence.reading(
            afterSeconds: seconds,
            breaker: breakers?.history,
            isKept: state.isKept && !state.hasLost
        )
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

    /// What the legacy side did: as the upgrade's state has it, or as it was watched here until now; nil if that was too little.
    public var baseline: LegacyBaseline? {
        state.withLock { state in state.known ?? state.watched ?? watched(state) }
    }

    /// What was watched here, for the state to keep.
    var watched: LegacyBaseline? { state.withLock { state in watched(state) ?? state.watched } }

    private func watched(_ state: State) -> LegacyBaseline? {
        guard state.evidence.key.stage == .legacyOnly else { return nil }
        return state.durations.limits(margin: slowMargin, fewest: fewestForBaseline).map(state.evidence.baseline)
    }

    // MARK: Counting

    public func called(_ call: RoutedCall) {
        guard let unit = call.unit, call.role == .first, let ending = EpochEvidence.CallEnding(call.outcome) else {
            return
        }
        let isPaused = breakers?.isCandidateOpen ?? false
        state.withLock { state in
            guard follows(&state, epoch: call.epoch, stage: call.stage) else { return }
            guard !call.isNamed else { return recordNamed(call, unit, ending, &state) }
            state.evidence.isPaused = isPaused
            if call.effect == .read, !call.isStream { state.evidence.reads.insert(call.operation) }
            var limit: Duration?
            if call.stage == .legacyOnly, let duration = call.duration {
                if ending == .cancelled {
                    // There is no limit yet but what was seen until now: enough to tell who waits no longer.
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

    /// In no test and in no baseline. What the legacy side still does for a named unit says nothing of the candidate.
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

    public func compared(_ comparison: ShadowComparison) {
        guard let unit = comparison.unit else { return }
        let isPaused = breakers?.isCandidateOpen ?? false
        state.withLock { state in
            guard follows(&state, epoch: comparison.epoch, stage: comparison.stage) else { return }
            state.samples.record(comparison)
            state.evidence.isPaused = isPaused
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

    public func opened(_ opening: SideOpening) {
        guard opening.side == .candidate else { return }
        state.withLock { state in
            state.evidence.recordOpening(isFailed: opening.isFailed)
            if state.isKept {
                state.unsavedOpenings = state.unsavedOpenings + FailureCounts(opening.isFailed ? 1 : 0, of: 1)
            }
        }
    }

    /// The unit's session has ended, and with it its windows: it need not be waited for any longer. It is settled as soon as those are
    /// that came before it; otherwise those who soon leave would stand for all.
    public func sessionEnded(of unit: String) {
        state.withLock { $0.evidence.end(unit) }
    }

    // MARK: Epochs

    /// Begins the epoch of a state that has been stored, before any call comes from it.
    func follow(_ stored: UpgradeState) { state.withLock { follow(stored, &$0) } }

    func follow(_ stored: UpgradeState, _ state: inout State) {
        state.known = stored.baseline
        _ = follows(&state, epoch: stored.epoch, stage: stored.stage)
        // Calls may have come from it before the state was read: without its baseline they are little worth.
        guard stored.epoch == state.epoch, stored.stage == state.evidence.key.stage, stored.stage != .legacyOnly,
            let baseline = stored.baseline, state.evidence.baseline != baseline
        else { return }
        start(&state, at: stored.stage)
    }

    /// Begins the epoch of the first call that comes from it.
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

    /// What is counted at a stage is counted under that.
    func key(of stage: Stage) -> EpochKey { Self.key(makeKey, at: stage, span, expecting: expectations) }

    func start(_ state: inout State, at stage: Stage) {
        state.expired = expectations.expired
        state.samples = DifferenceSamples()
        (state.unsavedOpenings, state.series) = (.none, nil)
        (state.hasLost, state.hasStoppedSaving, state.isLossSaved) = (false, false, false)
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

extension EpochEvidence.CallEnding {
    /// Nil for a call that a breaker refused, which says nothing of its side.
    fileprivate init?(_ outcome: RoutedCall.Outcome) {
        switch outcome {
        case .answered: self = .answered
        case .failed, .notOpened: self = .failed
        case .cancelled: self = .cancelled
        case .refused: return nil
        }
    }
}
