import Cofferdam

extension EvidenceRecorder {
    /// Collects changes from now on, to be saved, so that a unit counts once across restarts.
    func keep() {
        state.withLock { state in
            state.isKept = true
            noteChanges(&state)
        }
    }

    func noteChanges(_ state: inout State) {
        if !state.hasStoppedSaving { state.evidence.noteChanges() }
        state.durations.noteChanges()
    }

    /// Bounds what waits to be saved. If the store fails for too long, this process keeps counting, but stops saving
    /// units of this epoch. O(1).
    func stopSavingIfTooMany(_ state: inout State) {
        guard !state.hasStoppedSaving, state.evidence.unsavedCount > maxUnsaved else { return }
        (state.lacksUnits, state.hasStoppedSaving) = (true, true)
        state.evidence.dropChanges()
    }

    /// Whether no change of this epoch was saved yet.
    var isUnsaved: Bool { state.withLock { $0.isKept && $0.series == nil } }

    /// Returns the changes since the last call, to be saved at once.
    package func takeChanges() -> EvidenceChanges {
        state.withLock { state in
            let (now, wall) = (elapsed(), wallTime())
            state.evidence.settle(until: now)
            defer { (state.unsavedOpenings, state.unsavedTimed) = (.none, 0) }
            var windows: [String: [SavedWindow]] = [:]
            for tally in SavedTally.all {
                windows[tally.name] = tally.take(&state.evidence) { wall - (now - $0).inMilliseconds }
            }
            let opened = breakers?.openings ?? []
            let breakers = opened == state.savedBreakers ? [] : opened
            state.savedBreakers = opened
            var changes = EvidenceChanges(
                key: state.evidence.key,
                epoch: state.epoch,
                windows: windows,
                openings: state.unsavedOpenings,
                durations: state.durations.takeChanges(),
                timed: state.unsavedTimed,
                reads: state.evidence.reads,
                series: .randomID(),
                replacesAll: state.replacesSaved,
                reportsLoss: state.lacksUnits && !state.isLossSaved,
                before: EvidenceCounts(state),
                breakers: breakers,
                takenAt: wall
            )
            // Both wait for other changes: otherwise every call would cause a save.
            if !changes.isEmpty {
                swap(&changes.latencies, &state.unsavedLatencies)
                changes.samples = EvidenceReport.Sample.samples(of: state.samples)
            }
            return changes
        }
    }

    /// Restores changes that could not be saved.
    package func restore(_ changes: EvidenceChanges) {
        state.withLock { state in
            guard isCurrent(changes.epoch, changes.key, state) else { return }
            let (now, wall) = (elapsed(), wallTime())
            for tally in SavedTally.all {
                tally.restore(&state.evidence, changes.windows[tally.name] ?? []) {
                    now - .milliseconds(max(0, wall - $0))
                }
            }
            stopSavingIfTooMany(&state)
            state.unsavedOpenings = state.unsavedOpenings + changes.openings
            state.unsavedTimed += changes.timed
            state.durations.restore(changes.durations)
            state.unsavedLatencies.merge(changes.latencies) { $0.merging($1) }
            // This differs from the breakers that are open, so that they are taken again.
            if !changes.breakers.isEmpty { state.savedBreakers = [] }
        }
    }

    /// Adopts the saved totals, including the counts of other processes.
    package func adopt(_ totals: EvidenceTotals, after changes: EvidenceChanges) {
        state.withLock { state in
            state.replacesSaved = false
            let record = totals.record
            guard isCurrent(changes.epoch, changes.key, state), record.epoch == changes.epoch, record.key == changes.key
            else { return }
            // Adopting would forget the counts that the store will never have.
            if !state.hasStoppedSaving {
                for tally in SavedTally.all { tally.adopt(&state.evidence, record, changes.before) }
            }
            state.isLossSaved = record.lacksUnits ?? false
            state.lacksUnits = state.lacksUnits || state.isLossSaved
            state.evidence.adoptOpenings(record.openings + state.unsavedOpenings)
            state.series = record.series
        }
    }

    /// Whether the epoch and the key are still the same.
    private func isCurrent(_ epoch: Int, _ key: EpochKey, _ state: State) -> Bool {
        epoch == state.epoch && key == state.evidence.key
    }

    /// Continues where another process stopped, before anything is recorded. Counts of another key or epoch are
    /// ignored.
    ///
    /// - Parameters:
    ///   - saved: the counts under the key of the stage of that state; nil if there are none.
    ///   - stored: the state that is followed.
    ///   - newest: the highest epoch with counts. A higher one than that of the state belongs to an abandoned
    ///     upgrade.
    func resume(_ saved: SavedEvidence?, at stored: UpgradeState, newest: Int? = nil) {
        state.withLock { state in
            state.known = stored.baseline
            state.epoch = stored.epoch
            state.replacesSaved = newest.map { $0 > stored.epoch } ?? false
            start(&state, at: stored.stage)
            if let saved, saved.record.key == state.evidence.key, saved.record.epoch == stored.epoch {
                take(saved, &state)
            }
        }
    }

    /// Sets the baseline from before this process began.
    func recall(_ baseline: LegacyBaseline?) {
        state.withLock { state in
            state.watched = baseline ?? state.watched
            let stage = state.evidence.key.stage
            if state.known == nil, stage != .legacyOnly, state.evidence.baseline != state.watched {
                start(&state, at: stage)
            }
        }
    }

    private func take(_ saved: SavedEvidence, _ state: inout State) {
        let (now, wall) = (elapsed(), wallTime())
        state.evidence.adoptOperations(saved.record.operations)
        state.evidence.adoptOpenings(saved.record.openings)
        state.evidence.reads = Set(saved.record.reads)
        state.series = saved.record.series
        (state.lacksUnits, state.isLossSaved) = (saved.record.lacksUnits ?? false, saved.record.lacksUnits ?? false)
        for tally in SavedTally.all {
            tally.resume(&state.evidence, saved) { now - .milliseconds(max(0, wall - $0)) }
        }
        if state.evidence.key.stage == .legacyOnly {
            state.durations = CallDurations()
            state.durations.resume(saved.durations, count: saved.record.timed)
        }
        if state.isKept { noteChanges(&state) }
    }

    /// Records a crash in the epoch that is counted; crashes of other epochs do not count.
    ///
    /// - Parameter id: the id of the crash, which counts once.
    func recordCrash(_ end: InFlightFile.Crash, id: String) {
        state.withLock { state in
            guard end.epoch == state.epoch else { return }
            state.evidence.record(end, id: id, at: elapsed())
        }
    }
}

extension SavedEvidence {
    /// The baseline from counts at `legacyOnly`; nil if there are too few.
    package func baseline(margin: Duration = EvidenceRecorder.slowMargin, minimum: Int) -> LegacyBaseline? {
        guard record.key.stage == .legacyOnly else { return nil }
        var (evidence, times) = (EpochEvidence(record.key, epoch: record.epoch), CallDurations())
        evidence.adoptOperations(record.operations)
        evidence.reads = Set(record.reads)
        for tally in SavedTally.all { tally.resume(&evidence, self) { .milliseconds($0) } }
        times.resume(durations, count: record.timed)
        return times.limits(margin: margin, minimum: minimum).map(evidence.baseline)
    }
}

extension EvidenceTotals {
    /// The counts as one process has them.
    func evidence(against baseline: LegacyBaseline?) -> EpochEvidence {
        var evidence = EpochEvidence(record.key, epoch: record.epoch, baseline: baseline)
        evidence.adoptOperations(record.operations)
        evidence.adoptOpenings(record.openings)
        evidence.reads = Set(record.reads)
        let saved = SavedEvidence(record: record, settled: [:], open: [:], durations: [])
        for tally in SavedTally.all { tally.resume(&evidence, saved) { .milliseconds($0) } }
        return evidence
    }
}

extension EvidenceCounts {
    fileprivate init(_ state: EvidenceRecorder.State) {
        let evidence = state.evidence
        self.init(
            comparisons: evidence.comparisons.counts,
            legacy: evidence.legacy.counts,
            candidate: evidence.candidate.counts,
            named: evidence.named.counts
        )
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}

/// Persistence of one tally of an epoch.
private struct SavedTally: Sendable {
    let name: String
    /// Takes the changes, with wall-clock times.
    let take: @Sendable (inout EpochEvidence, _ date: (Duration) -> Int64) -> [SavedWindow]
    let restore: @Sendable (inout EpochEvidence, [SavedWindow], _ time: (Int64) -> Duration) -> Void
    let adopt: @Sendable (inout EpochEvidence, EvidenceRecord, EvidenceCounts) -> Void
    let resume: @Sendable (inout EpochEvidence, SavedEvidence, _ time: (Int64) -> Duration) -> Void

    static let all = [
        SavedTally("comparisons", \.comparisons, \.comparisons, { $0.texts.text($1) }, { $0.texts.comparison($1) }),
        SavedTally("legacy", \.legacy, \.legacy, { $0.texts.text($1) }, { $0.calls($1) }),
        SavedTally("candidate", \.candidate, \.candidate, { $0.texts.text($1) }, { $0.calls($1) }),
        SavedTally("named", \.named, \.named, { $0.namedTexts.text($1) }, { $0.namedCalls($1) }),
    ]

    init<Outcome: WindowOutcome>(
        _ name: String,
        _ path: any WritableKeyPath<EpochEvidence, WindowTally<Outcome>> & Sendable,
        _ before: any KeyPath<EvidenceCounts, [Int: WindowTally<Outcome>.Counts]> & Sendable,
        _ text: @escaping @Sendable (EpochEvidence, Outcome) -> String,
        _ outcome: @escaping @Sendable (inout EpochEvidence, String) -> Outcome?
    ) {
        self.name = name
        take = { evidence, date in
            evidence[keyPath: path].takeChanges().map { change in
                SavedWindow(
                    unit: change.unit,
                    operation: evidence.name(at: change.window.operation),
                    began: date(change.window.began),
                    outcome: text(evidence, change.window.outcome),
                    isSettled: change.isSettled
                )
            }
        }
        restore = { evidence, windows, time in
            let changes = windows.compactMap { window -> WindowTally<Outcome>.Change? in
                guard let place = evidence.place(named: window.operation),
                    let outcome = outcome(&evidence, window.outcome)
                else { return nil }
                let restored = WindowTally<Outcome>.Window(
                    operation: place,
                    began: time(window.began),
                    outcome: outcome
                )
                return .init(unit: window.unit, window: restored, isSettled: window.isSettled)
            }
            evidence[keyPath: path].restore(changes)
        }
        @Sendable func counts(
            _ record: EvidenceRecord,
            _ evidence: inout EpochEvidence
        ) -> [Int: WindowTally<Outcome>.Counts] {
            var counts: [Int: WindowTally<Outcome>.Counts] = [:]
            for (operation, stored) in record.counts[name] ?? [:] {
                guard let place = evidence.place(named: operation.isEmpty ? nil : operation) else { continue }
                var (begun, settled): ([Outcome: Int], [Outcome: Int]) = ([:], [:])
                // Clamp, so that a damaged file cannot cause an overflow later.
                for (text, count) in stored.begun {
                    if let known = outcome(&evidence, text) { begun[known, default: 0] += min(max(0, count), 1 << 40) }
                }
                for (text, count) in stored.settled {
                    if let known = outcome(&evidence, text) {
                        settled[known, default: 0] += min(max(0, count), 1 << 40)
                    }
                }
                counts[place] = .init(begun: begun, settled: settled)
            }
            return counts
        }
        adopt = { evidence, record, taken in
            let stored = counts(record, &evidence)
            evidence[keyPath: path].adopt(stored, since: taken[keyPath: before])
        }
        resume = { evidence, saved, time in
            let stored = counts(saved.record, &evidence)
            let open = (saved.open[name] ?? []).compactMap { row -> (UInt64, WindowTally<Outcome>.Window)? in
                guard (0...EpochEvidence.all).contains(row.place), let outcome = outcome(&evidence, row.outcome) else {
                    return nil
                }
                return (row.unit, .init(operation: row.place, began: time(row.began), outcome: outcome))
            }
            evidence[keyPath: path].resume(stored, settled: saved.settled[name] ?? [], open: open)
        }
    }
}

extension EpochEvidence {
    /// Starts collecting changes to save.
    fileprivate mutating func noteChanges() {
        comparisons.noteChanges()
        legacy.noteChanges()
        candidate.noteChanges()
        named.noteChanges()
    }

    /// Stops collecting changes and drops those that wait.
    fileprivate mutating func dropChanges() {
        comparisons.dropChanges()
        legacy.dropChanges()
        candidate.dropChanges()
        named.dropChanges()
    }

    /// The number of windows that wait to be saved.
    fileprivate var unsavedCount: Int {
        comparisons.unsavedCount + legacy.unsavedCount + candidate.unsavedCount + named.unsavedCount
    }

    fileprivate func name(at place: Int) -> String? { operations.indices.contains(place) ? operations[place] : nil }

    fileprivate mutating func place(named name: String?) -> Int? {
        guard let name else { return Self.all }
        return place(of: name)
    }
}
