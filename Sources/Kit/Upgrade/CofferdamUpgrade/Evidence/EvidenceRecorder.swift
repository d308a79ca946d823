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
        /// How long calls took on each side: at `legacyOnly`, and for the ledger. Without those that it has.
        var latencies: [Side: [String: LatencyHistogram]] = [:]
        /// The baseline that this process measured when `legacyOnly` ended.
        var watched: LegacyBaseline?
        /// The baseline in the stored state.
        var known: LegacyBaseline?
        /// The epoch that is counted, and the beginning of its upgrade.
        var epoch: Int
        var beginning: String?
        /// The number of expired expectations when counting began.
        var expired: Int
        /// Increases whenever counting begins anew.
        var generation = 0
        var ledger = Ledger()
        /// The calls in flight, by their numbers.
        var inFlight: [UInt64: InFlight] = [:]
    }

    /// A call in flight.
    struct InFlight {
        var rows: CallRows
        var operation: String
        /// The hour since 1970 in which it counts for the alarm; 0 for none.
        var hour: Int64
        var began: Duration
        /// Whether it was recorded as late.
        var isLate = false
    }

    /// What this process has merged into its ledger, and what it still has to.
    struct Ledger {
        /// Whether there is one, so that the counts outlive the process.
        var isKept = false
        /// The counts of the ledger after the last merge in this epoch, and those of this process that were in it.
        var counts: EvidenceCounts?
        var own = UnitCounts()
        /// Identifies the count beyond this process; nil until something was merged.
        var series: String?
        /// When the last merge began, and since when something waits for the next one.
        var mergedAt: Duration?
        var waitsSince: Duration?
        /// The counts of the ledger belong to an abandoned upgrade.
        var isAbandoned = false
        /// Units of this epoch were counted that the ledger will never have.
        var lacksUnits = false
        /// This process merges no units of this epoch any more, because too many waited.
        var hasStopped = false
        /// The ledger has recorded `lacksUnits`.
        var knowsLoss = false
        /// The breakers that opened in this epoch, as they were merged last.
        var breakers: [BreakerOpening] = []
        /// Openings that are not merged.
        var openings = FailureCounts.none
    }

    /// The default length of the window of a unit.
    public static let window = EpochEvidence.window
    /// The default number of legacy calls for a baseline.
    public static let minimumBaselineCalls = LatencyHistogram.minimumCalls
    /// A call that waits longer than this for its side to open is slow, on both sides.
    static let slowOpening = Duration.seconds(5)
    /// The default margin above the p99 of the legacy side at which a call is slow.
    public static let slowMargin = LatencyHistogram.slowMargin
    /// The default number of rows that may wait to be merged: those of about 100,000 units that do one thing each.
    public static let maxUnsaved = 200_000
    /// How long rows may wait before they count, though only to go back.
    static let patience = Duration.seconds(10)
    /// How many calls in flight are looked at.
    private static let maxInFlight = 100_000

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

    /// The key of a stage for the running build.
    @Sendable public static func defaultKey(of stage: Stage) -> EpochKey {
        EpochKey(stage: stage, binary: BuildIdentity.current ?? "")
    }

    /// - Parameters:
    ///   - state: the state that the routes follow.
    ///   - window: how long the calls of a unit count after its first call of an operation; at least one second.
    ///   - minimumBaselineCalls: how many calls of the legacy side make a baseline. Fewer than the default of 10,000 are
    ///     for rehearsals.
    ///   - slowMargin: the minimum margin above the p99 of the legacy side at which a call is slow.
    ///   - maxUnsaved: how many rows may wait to be merged into the ledger, at least 1. A unit has one for each operation
    ///     and one for all together. If the ledger fails so long that there are more, the recorder merges no units for
    ///     the rest of the epoch. It keeps counting, and its readings say that units are not kept, so that a person
    ///     must promote.
    ///   - expectations: the same as those of the routes.
    ///   - breakers: the same as those of the routes; without them a reading has no breaker history.
    ///   - makeKey: the key of a stage, without the expectations and the window; by default the stage and the
    ///     ``BuildIdentity``.
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
        key makeKey: @escaping @Sendable (Stage) -> EpochKey = EvidenceRecorder.defaultKey,
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

    /// The counts so far, for an instance of a fleet to export.
    package struct Counted: Sendable {
        package var snapshot: EvidenceSnapshot
        package var key: EpochKey
        /// Identifies the count beyond this process; nil until that is known.
        package var series: String?
        /// The measurement of the legacy side; nil after `legacyOnly`.
        package var legacy: LegacyWatch?
    }

    /// The counts so far in the epoch of that state, or in a later one if it has begun, and their key, all read at one
    /// moment.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func counted(of stored: UpgradeState, at now: Int64) -> Counted {
        let seconds = Int(clamping: WallTime.since(stored.since, at: now / 1_000))
        let (reading, counts, series) = state.withLock { state in
            follow(stored, &state)
            let reading = self.reading(&state, afterSeconds: seconds)
            return (reading, self.counts(state).counts, state.ledger.series)
        }
        // Outside the lock, for which calls wait.
        return Counted(
            snapshot: EvidenceSnapshot(
                capability: stored.capability,
                at: now,
                reading: reading,
                outcomes: counts.outcomes
            ),
            key: counts.key,
            series: series,
            legacy: counts.key.stage == .legacyOnly ? LegacyWatch(counts) : nil
        )
    }

    private func reading(_ state: inout State, afterSeconds seconds: Int) -> GateReading {
        startAnewIfExpired(&state)
        settle(&state)
        let (counts, isIncomplete) = self.counts(state)
        // Read the breakers under the lock, so that their history belongs to the epoch that is counted.
        var reading = counts.reading(
            against: state.evidence.baseline,
            afterSeconds: seconds,
            breaker: breakers?.history,
            isKept: state.ledger.isKept && !state.ledger.lacksUnits
        )
        if isIncomplete { reading.isIncomplete = true }
        // An expired difference is a mismatch, so none was expected: a gate that still asks reads 0.
        for expectation in expectations.agreed where reading.metrics[.expected(expectation.difference.id)] == nil {
            reading.metrics[.expected(expectation.difference.id)] = FailureCounts(0, of: counts.outcomes.sampled)
        }
        return reading
    }

    /// The counts on which a gate decides: those of the ledger, or of this process if there is none.
    ///
    /// What this process has not merged counts only if the ledger does not take it: then it may send the upgrade back,
    /// but nothing is promoted on it.
    ///
    /// - Parameter isWhole: whether what is not merged counts in any case.
    private func counts(_ state: State, isWhole: Bool = false) -> (counts: EvidenceCounts, isIncomplete: Bool) {
        var own = state.evidence.counts
        own.durations = state.baselineDurations
        guard state.ledger.isKept else { return (own, false) }
        var counts = state.ledger.counts ?? EvidenceCounts(own.key, epoch: own.epoch)
        // Durations prove nothing about the candidate.
        counts.durations.add(own.durations)
        let isLate = state.ledger.waitsSince.map { elapsed() - $0 >= Self.patience } ?? false
        guard isLate || isWhole || state.ledger.hasStopped else { return (counts, false) }
        counts.add(own, since: state.ledger.own)
        counts.openings = counts.openings + state.ledger.openings
        return (counts, isLate)
    }

    /// The outcomes of the compared units.
    package var outcomes: OutcomeCounts { state.withLock { counts($0).counts.outcomes } }

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
        // A baseline decides nothing by itself.
        return counts(state, isWhole: true).counts.baseline(margin: slowMargin, minimum: minimumBaselineCalls)
    }

    // MARK: Counting

    /// Looks at the call until it ends: a unit whose call hangs is not a unit without a failure.
    public func began(_ call: CallInFlight) {
        guard !call.isNamed, !call.stage.splitsUnits || call.hasEntered && call.unit != nil else { return }
        if call.side == .candidate, call.stage == .legacyOnly || call.stage == .aa { return }
        state.withLock { state in
            guard follows(&state, epoch: call.epoch, stage: call.stage), state.inFlight.count < Self.maxInFlight else {
                return
            }
            let tally: EvidenceTally = call.side == .legacy ? .legacy : .candidate
            let rows = state.evidence.rows(of: call.operation, call.key, tally, call.unit == nil)
            state.evidence.began(rows)
            state.inFlight[call.number] = InFlight(
                rows: rows,
                operation: call.operation,
                hour: call.hour,
                began: elapsed()
            )
        }
    }

    /// Counts calls that have been in flight for longer than the slow limit as slow, and if none is known, or for longer
    /// than a window, as failed.
    private func noteLate(_ state: inout State, at now: Duration) {
        for (number, waiting) in state.inFlight {
            let age = now - waiting.began
            let known =
                state.evidence.key.stage == .legacyOnly
                ? state.limitSoFar(of: waiting.operation, margin: slowMargin)
                : state.evidence.slowLimit(of: waiting.operation)
            guard !waiting.isLate, age > min(known ?? span, span) else { continue }
            state.inFlight[number]?.isLate = true
            let hour = waiting.hour > 0 ? waiting.hour : nil
            state.evidence.recordLate(waiting.rows, in: hour, isSlow: known != nil, at: now)
            noteWaiting(&state)
        }
    }

    /// Counts the call's outcome for its unit and operation.
    public func called(_ call: RoutedCall) {
        guard let unit = call.key, call.role == .first, let ending = EpochEvidence.CallEnding(call) else { return }
        let isPaused = breakers?.isCandidateOpen ?? false
        state.withLock { state in
            let waiting = state.inFlight.removeValue(forKey: call.number)
            if let waiting { state.evidence.ended(waiting.rows, wasLate: waiting.isLate) }
            guard follows(&state, epoch: call.epoch, stage: call.stage) else {
                return recordOverridden(call, unit, ending, isPaused: isPaused, &state)
            }
            guard !call.isNamed else { return recordNamed(call, unit, ending, &state) }
            // A build of the candidate that is out already says nothing about the legacy side.
            if call.side == .candidate, call.stage == .legacyOnly || call.stage == .aa { return }
            // Both sides of a canary are counted by one rule: from the session on that chose its side in this epoch.
            // The longest sessions would otherwise count on one side only. A session without a unit is on the legacy side
            // there, so it is not one of those that are split.
            guard !call.stage.splitsUnits || call.hasEntered && call.unit != nil else { return }
            state.evidence.isPaused = isPaused
            let rows = waiting?.rows ?? state.evidence.rows(of: call, unit)
            if call.effect == .read, !call.isStream { state.evidence.isRead(call.operation, in: rows) }
            var limit: Duration?
            if ending != .cancelled, let duration = call.duration {
                state.note(duration, of: call.operation, on: call.side)
            } else if call.stage == .legacyOnly {
                limit = state.limitSoFar(of: call.operation, margin: slowMargin)
            }
            let isOpenedSlowly = call.opening > Self.slowOpening
            state.evidence.record(
                ending,
                rows,
                of: call.isStream ? nil : call.operation,
                answer: call.answer,
                took: isOpenedSlowly ? call.opening : call.duration,
                slowAfter: isOpenedSlowly ? .zero : limit,
                in: call.hour > 0 ? call.hour : nil,
                at: elapsed()
            )
            noteWaiting(&state)
        }
    }

    /// Counts a call that the candidate answers because its operation has a stage of its own. What is promoted is another
    /// stage, so it counts only for the alarm.
    private func recordOverridden(
        _ call: RoutedCall,
        _ unit: UInt64,
        _ ending: EpochEvidence.CallEnding,
        isPaused: Bool,
        _ state: inout State
    ) {
        guard call.epoch == state.epoch, call.side == .candidate, !call.isNamed, call.hour > 0 else { return }
        state.evidence.isPaused = isPaused
        state.evidence.recordVisit(
            ending,
            state.evidence.rows(of: call, unit),
            of: call.isStream ? nil : call.operation,
            took: call.duration,
            in: call.hour
        )
        noteWaiting(&state)
    }

    /// Counts a named unit, in no test and no baseline. A call of a named unit to the legacy side says nothing about
    /// the candidate.
    private func recordNamed(
        _ call: RoutedCall,
        _ unit: UInt64,
        _ ending: EpochEvidence.CallEnding,
        _ state: inout State
    ) {
        guard call.side == .candidate else { return }
        state.evidence.recordNamed(
            ending,
            state.evidence.rows(of: call, unit),
            of: call.isStream ? nil : call.operation,
            answer: call.answer,
            took: call.duration,
            at: elapsed()
        )
        noteWaiting(&state)
    }

    /// Counts the comparison's outcome for its unit and operation.
    public func compared(_ comparison: ShadowComparison) {
        guard let unit = comparison.unit else { return }
        let isPaused = breakers?.isCandidateOpen ?? false
        state.withLock { state in
            guard follows(&state, epoch: comparison.epoch, stage: comparison.stage) else { return }
            state.samples.record(comparison)
            state.evidence.isPaused = isPaused
            for (side, duration) in comparison.durations { state.note(duration, of: comparison.operation, on: side) }
            state.evidence.record(
                comparison.outcome,
                of: comparison.operation,
                unit: unit,
                expectation: comparison.expectation,
                durations: comparison.durations,
                at: elapsed()
            )
            noteWaiting(&state)
        }
    }

    /// Counts the attempt to open the candidate, and whether it failed.
    public func opened(_ opening: SideOpening) {
        guard opening.side == .candidate else { return }
        state.withLock { state in
            state.evidence.recordOpening(isFailed: opening.isFailed)
            if state.ledger.isKept {
                state.ledger.openings = state.ledger.openings + FailureCounts(opening.isFailed ? 1 : 0, of: 1)
                noteWaiting(&state)
            }
        }
    }

    /// Ends the windows of a unit with its session. The unit is settled once earlier windows are; otherwise units
    /// with short sessions would be over-represented.
    public func sessionEnded(of unit: String) {
        state.withLock { state in
            state.evidence.end(unit)
            noteWaiting(&state)
        }
    }

    /// Records a crash in the epoch that is counted; crashes of other epochs do not count.
    ///
    /// - Parameter id: the id of the crash, which counts once.
    func recordCrash(_ end: InFlightFile.Crash, id: String) {
        state.withLock { state in
            guard end.epoch == state.epoch else { return }
            state.evidence.recordCrash(
                id,
                calls: end.calls,
                named: end.namedCalls,
                units: end.units,
                shadowUnits: end.shadowUnits,
                legacyUnits: end.legacyUnits,
                at: elapsed()
            )
            noteWaiting(&state)
        }
    }

    private func settle(_ state: inout State) {
        let now = elapsed()
        noteLate(&state, at: now)
        state.evidence.settle(until: now)
    }

    /// Notes that something waits for the ledger, and bounds it. O(1).
    private func noteWaiting(_ state: inout State) {
        guard state.ledger.isKept else { return }
        if state.ledger.waitsSince == nil, state.evidence.windows.hasRows || state.ledger.openings.total > 0 {
            state.ledger.waitsSince = elapsed()
        }
        guard !state.ledger.hasStopped, state.evidence.windows.rowCount > maxUnsaved else { return }
        (state.ledger.lacksUnits, state.ledger.hasStopped) = (true, true)
        state.evidence.windows.dropRows()
    }

    // MARK: Epochs

    /// Begins the epoch of a stored state, before the first call of that epoch.
    func follow(_ stored: UpgradeState) { state.withLock { follow(stored, &$0) } }

    func follow(_ stored: UpgradeState, _ state: inout State) {
        (state.known, state.beginning) = (stored.baseline, stored.beginning)
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
            start(&state, at: stage)
            breakers?.startEpoch()
        } else {
            startAnewIfExpired(&state)
        }
        return epoch == state.epoch && stage == state.evidence.key.stage
    }

    private func startAnewIfExpired(_ state: inout State) {
        guard expectations.expired != state.expired else { return }
        let stage = state.evidence.key.stage
        // At `legacyOnly` nothing is compared.
        if stage == .legacyOnly { state.expired = expectations.expired } else { start(&state, at: stage) }
    }

    /// The key of a stage, in an upgrade with that beginning.
    func key(of stage: Stage, since beginning: String?) -> EpochKey {
        var key = Self.key(makeKey, at: stage, span, expecting: expectations)
        if stage != .legacyOnly { key.beginning = beginning }
        return key
    }

    private func start(_ state: inout State, at stage: Stage) {
        state.expired = expectations.expired
        (state.samples, state.latencies, state.inFlight) = (DifferenceSamples(), [:], [:])
        state.generation += 1
        let ledger = state.ledger
        state.ledger = Ledger()
        (state.ledger.isKept, state.ledger.isAbandoned) = (ledger.isKept, ledger.isAbandoned)
        state.evidence = EpochEvidence(
            key(of: stage, since: state.beginning),
            epoch: state.epoch,
            baseline: stage == .legacyOnly ? nil : state.known ?? state.watched,
            window: span
        )
        if state.ledger.isKept { state.evidence.windows.keepRows() }
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

// MARK: The ledger

extension EvidenceRecorder {
    /// Collects rows from now on, for a ledger, so that a unit counts once across restarts.
    func keep() {
        state.withLock { state in
            state.ledger.isKept = true
            if !state.ledger.hasStopped { state.evidence.windows.keepRows() }
        }
    }

    /// Continues from what a ledger has, before anything is recorded. Counts of another key or epoch are ignored.
    ///
    /// - Parameter stored: the state that is followed.
    package func resume(from ledger: any EvidenceLedger, at stored: UpgradeState) async throws {
        keep()
        let capability = stored.capability
        if stored.baseline == nil, stored.stage != .legacyOnly {
            let watched = try await ledger.counts(of: capability, under: .baseline)
            recall(watched?.baseline(margin: slowMargin, minimum: minimumBaselineCalls))
        }
        let counts = try await ledger.counts(of: capability, under: key(of: stored.stage, since: stored.beginning))
        let newest = try await ledger.newestEpoch(of: capability)
        state.withLock { state in
            (state.known, state.epoch, state.beginning) = (stored.baseline, stored.epoch, stored.beginning)
            // A higher epoch belongs to an abandoned upgrade.
            state.ledger.isAbandoned = newest.map { $0 > stored.epoch } ?? false
            start(&state, at: stored.stage)
            guard let counts, counts.key == state.evidence.key, counts.epoch == stored.epoch else { return }
            (state.ledger.counts, state.ledger.series) = (counts, counts.series)
            (state.ledger.lacksUnits, state.ledger.knowsLoss) = (counts.lacksUnits, counts.lacksUnits)
        }
    }

    /// Sets the baseline from before this process began.
    private func recall(_ baseline: LegacyBaseline?) {
        state.withLock { state in
            state.watched = baseline ?? state.watched
            let stage = state.evidence.key.stage
            if state.known == nil, stage != .legacyOnly, state.evidence.baseline != state.watched {
                start(&state, at: stage)
            }
        }
    }

    /// Whether a merge changes the ledger or what is known of it.
    var isMergeDue: Bool {
        state.withLock { state in
            guard state.ledger.isKept else { return false }
            settle(&state)
            if state.ledger.series == nil || state.evidence.windows.hasRows { return true }
            if state.ledger.openings.total > 0 || !state.baselineDurations.isEmpty { return true }
            if state.ledger.lacksUnits && !state.ledger.knowsLoss { return true }
            if (breakers?.openings ?? []) != state.ledger.breakers { return true }
            // Windows that another process began end in the ledger, even if this one has nothing to tell.
            let others = (state.ledger.counts?.units.open ?? 0) - state.evidence.windows.counts.open
            return others > 0 && (state.ledger.mergedAt.map { elapsed() - $0 >= span / 10 } ?? true)
        }
    }

    /// Merges what was counted since the last merge. From then on, the counts of the ledger are read. Only one merge
    /// runs at a time.
    ///
    /// - Throws: what the ledger throws; then the next merge has the same rows.
    package func merge(into ledger: any EvidenceLedger, of capability: String) async throws {
        let taken = state.withLock { take(&$0) }
        let counts = try await ledger.merge(taken.rows, of: capability)
        state.withLock { adopt(counts, after: taken, &$0) }
    }

    /// Rows on their way to the ledger.
    private struct Taken {
        var rows: EvidenceRows
        var generation: Int
        /// The counts of this process with those rows.
        var own: UnitCounts
        var at: Duration
    }

    /// How long a process has to end its own windows, before others do. A call that hangs fails its unit when the window
    /// ends, and only the process that waits for it knows.
    private var grace: Duration { span / 10 }

    private func take(_ state: inout State) -> Taken {
        let (now, wall) = (elapsed(), wallTime())
        settle(&state)
        var rows = EvidenceRows(state.evidence.key, epoch: state.epoch)
        rows.names = state.evidence.names
        rows.rows = state.evidence.unmerged(wall - now.wholeNanoseconds / 1_000_000)
        rows.windowsEndBefore = wall - (span + grace).wholeNanoseconds / 1_000_000
        rows.openings = state.ledger.openings
        rows.latencies = state.latencies
        rows.reads = state.evidence.reads
        rows.replacesAll = state.ledger.isAbandoned
        rows.reportsLoss = state.ledger.lacksUnits && !state.ledger.knowsLoss
        let opened = breakers?.openings ?? []
        rows.breakers = opened == state.ledger.breakers ? [] : opened
        rows.takenAt = wall
        if rows.isEmpty {
            rows.latencies = [:]
        } else {
            rows.samples = EvidenceReport.Sample.samples(of: state.samples)
        }
        return Taken(rows: rows, generation: state.generation, own: state.evidence.windows.counts, at: now)
    }

    private func adopt(_ counts: EvidenceCounts, after taken: Taken, _ state: inout State) {
        state.ledger.isAbandoned = false
        guard state.generation == taken.generation else { return }
        for row in taken.rows.rows { state.evidence.windows.acknowledge(row) }
        let openings = FailureCounts(-taken.rows.openings.failures, of: -taken.rows.openings.total)
        state.ledger.openings = state.ledger.openings + openings
        for (side, latencies) in taken.rows.latencies { state.latencies[side]?.add(latencies, sign: -1) }
        if !taken.rows.breakers.isEmpty { state.ledger.breakers = taken.rows.breakers }
        state.ledger.mergedAt = taken.at
        let isWaiting = state.evidence.windows.hasRows || state.ledger.openings.total > 0
        state.ledger.waitsSince = isWaiting ? taken.at : nil
        // The ledger follows a later epoch.
        guard counts.key == state.evidence.key, counts.epoch == state.epoch else { return }
        state.ledger.knowsLoss = counts.lacksUnits
        state.ledger.lacksUnits = state.ledger.lacksUnits || counts.lacksUnits
        state.ledger.series = counts.series
        // The ledger will never have all that was counted here.
        if !state.ledger.hasStopped { (state.ledger.counts, state.ledger.own) = (counts, taken.own) }
    }
}

extension EvidenceRecorder.State {
    /// Notes how long a call took. While counting is paused, nothing is noted.
    fileprivate mutating func note(_ duration: Duration, of operation: String, on side: Side) {
        guard ledger.isKept || evidence.key.stage == .legacyOnly, !evidence.isPaused else { return }
        latencies[side, default: [:]][operation, default: LatencyHistogram()].record(duration.wholeNanoseconds)
    }

    /// The durations for the baseline that no ledger has.
    fileprivate var baselineDurations: [String: LatencyHistogram] {
        evidence.key.stage == .legacyOnly ? latencies[.legacy] ?? [:] : [:]
    }

    /// The slow limit of an operation so far, to tell whether a caller who gives up waited too long; nil if too few calls
    /// were timed.
    fileprivate func limitSoFar(of operation: String, margin: Duration) -> Duration? {
        var histogram = ledger.counts?.durations[operation] ?? LatencyHistogram()
        if let own = baselineDurations[operation] { histogram.add(own) }
        guard histogram.count >= LatencyHistogram.minimumCallsPerOperation else { return nil }
        return histogram.slowLimit(margin: margin)
    }
}

extension EpochEvidence {
    /// The rows of a call.
    fileprivate mutating func rows(of call: RoutedCall, _ unit: UInt64) -> CallRows {
        let tally: EvidenceTally = call.isNamed ? .named : call.side == .legacy ? .legacy : .candidate
        return rows(of: call.isStream ? nil : call.operation, unit, tally, !call.isNamed && call.unit == nil)
    }
}

extension EpochEvidence.CallEnding {
    /// Nil for a call that a breaker refused, which says nothing about its side.
    fileprivate init?(_ call: RoutedCall) {
        switch call.outcome {
        case .answered: self = .answered
        // Where the legacy side has no units of its own, it cannot be compared with. Where it has, both count.
        case .failed, .notOpened:
            self = call.hasFailedOnBoth && call.stage == .candidateWithFallback ? .failedOnBoth : .failed
        case .cancelled: self = .cancelled
        case .refused: return nil
        }
    }
}
