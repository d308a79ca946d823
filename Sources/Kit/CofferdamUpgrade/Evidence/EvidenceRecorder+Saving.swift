import Cofferdam

extension EvidenceRecorder {
    /// Notes from now on what changes, to be saved: the units count once, whatever is restarted.
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

    /// Where the store has failed for too long, what waits to be saved must not grow with the units: they are counted here alone from now
    /// on, in this epoch. O(1).
    func stopSavingIfTooMany(_ state: inout State) {
        guard !state.hasStoppedSaving, state.evidence.unsavedCount > mostUnsaved else { return }
        (state.hasLost, state.hasStoppedSaving) = (true, true)
        state.evidence.dropChanges()
    }

    /// Whether nothing of this epoch was saved yet.
    var isUnsaved: Bool { state.withLock { $0.isKept && $0.series == nil } }

    /// What was counted since the last time, to be saved at once.
    public func takeChanges() -> EvidenceChanges {
        state.withLock { state in
            let (now, wall) = (elapsed(), wallTime())
            state.evidence.settle(until: now)
            defer { (state.unsavedOpenings, state.unsavedTimed) = (.none, 0) }
            var windows: [String: [SavedWindow]] = [:]
            for tally in SavedTally.all {
                windows[tally.name] = tally.take(&state.evidence) { wall - (now - $0).inMilliseconds }
            }
            return EvidenceChanges(
                key: state.evidence.key,
                epoch: state.epoch,
                windows: windows,
                openings: state.unsavedOpenings,
                durations: state.durations.takeChanges(),
                timed: state.unsavedTimed,
                reads: state.evidence.reads,
                series: .randomID(),
                replacesAll: state.replacesSaved,
                tellsLoss: state.hasLost && !state.isLossSaved,
                before: EvidenceCounts(state)
            )
        }
    }

    /// What was taken could not be saved, and is taken again the next time.
    public func restore(_ changes: EvidenceChanges) {
        state.withLock { state in
            guard isOfNow(changes.epoch, changes.key, state) else { return }
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
        }
    }

    /// What is taken is saved. What other processes have counted meanwhile counts here from now on.
    public func adopt(_ totals: EvidenceTotals, after changes: EvidenceChanges) {
        state.withLock { state in
            state.replacesSaved = false
            let record = totals.record
            guard isOfNow(changes.epoch, changes.key, state), record.epoch == changes.epoch, record.key == changes.key
            else { return }
            // What the store lacks for ever would be forgotten here too.
            if !state.hasStoppedSaving {
                for tally in SavedTally.all { tally.adopt(&state.evidence, record, changes.before) }
            }
            state.isLossSaved = record.hasLost ?? false
            state.hasLost = state.hasLost || state.isLossSaved
            state.evidence.adoptOpenings(record.openings + state.unsavedOpenings)
            state.series = record.series
        }
    }

    /// Whether what is counted now is what it was then.
    private func isOfNow(_ epoch: Int, _ key: EpochKey, _ state: State) -> Bool {
        epoch == state.epoch && key == state.evidence.key
    }

    /// Goes on where another process has stopped, before anything is recorded. What was counted under another key or in another
    /// epoch says nothing of this one, and is not given.
    ///
    /// - Parameters:
    ///   - saved: what was counted under the key of that state's stage; nil if nothing was.
    ///   - stored: the state that is followed.
    ///   - newest: the newest epoch of which anything was counted. A later one than the state's is of an upgrade that is no more.
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

    /// Knows what the legacy side did before this process began.
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
        (state.hasLost, state.isLossSaved) = (saved.record.hasLost ?? false, saved.record.hasLost ?? false)
        for tally in SavedTally.all {
            tally.resume(&state.evidence, saved) { now - .milliseconds(max(0, wall - $0)) }
        }
        if state.evidence.key.stage == .legacyOnly {
            state.durations = CallDurations()
            state.durations.resume(saved.durations, count: saved.record.timed)
        }
        if state.isKept { noteChanges(&state) }
    }

    /// A process ended while the candidate was called, in the epoch that is counted; another one's ends count for nothing.
    ///
    /// - Parameter id: of that end, which counts once.
    func recordUncleanEnd(_ end: InFlightFile.Crash, id: String) {
        state.withLock { state in
            guard end.epoch == state.epoch else { return }
            state.evidence.record(end, id: id, at: elapsed())
        }
    }
}

extension SavedEvidence {
    /// What the legacy side did, of what was counted at `legacyOnly`; nil where it was too little.
    package func baseline(margin: Duration = EvidenceRecorder.slowMargin, fewest: Int) -> LegacyBaseline? {
        guard record.key == .baseline else { return nil }
        var (evidence, times) = (EpochEvidence(record.key, epoch: record.epoch), CallDurations())
        evidence.adoptOperations(record.operations)
        evidence.reads = Set(record.reads)
        for tally in SavedTally.all { tally.resume(&evidence, self) { .milliseconds($0) } }
        times.resume(durations, count: record.timed)
        return times.limits(margin: margin, fewest: fewest).map(evidence.baseline)
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

/// One tally of an epoch, whatever it counts.
private struct SavedTally: Sendable {
    let name: String
    /// The changes, their times as those of the calendar.
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
                // What a damaged file may hold must not overflow later.
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
    /// Changes are noted from now on, to be saved.
    fileprivate mutating func noteChanges() {
        comparisons.noteChanges()
        legacy.noteChanges()
        candidate.noteChanges()
        named.noteChanges()
    }

    /// Changes are noted no longer, and those that wait are dropped.
    fileprivate mutating func dropChanges() {
        comparisons.dropChanges()
        legacy.dropChanges()
        candidate.dropChanges()
        named.dropChanges()
    }

    /// How many windows wait to be saved.
    fileprivate var unsavedCount: Int {
        comparisons.unsavedCount + legacy.unsavedCount + candidate.unsavedCount + named.unsavedCount
    }

    fileprivate func name(at place: Int) -> String? { operations.indices.contains(place) ? operations[place] : nil }

    fileprivate mutating func place(named name: String?) -> Int? {
        guard let name else { return Self.all }
        return place(of: name)
    }
}
