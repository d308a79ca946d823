import Cofferdam

extension EvidenceRecorder {
    /// Begins the epoch of a state that has been stored, before any call comes from it.
    func follow(_ stored: UpgradeState) {
        state.withLock { state in _ = follows(&state, epoch: stored.epoch, stage: stored.stage) }
    }

    /// What was counted since the last time, to be saved at once.
    public func takeChanges() -> EvidenceChanges {
        state.withLock { state in
            var tallies = state.evidence.takeChanges()
            tallies[Self.baselineTally] = state.baseline.units.takeChanges()
            return EvidenceChanges(
                record: EvidenceRecord(
                    key: state.evidence.key,
                    epoch: state.epoch,
                    callsPerUnit: callsPerUnit,
                    baseline: state.evidence.baseline,
                    tallies: tallies.mapValues(\.record),
                    nextSlot: 0
                ),
                tallies: tallies,
                durations: state.baseline.takeDurations(),
                mostDurations: state.baseline.capacity,
                replacesAll: state.replacesSaved
            )
        }
    }

    /// What was taken could not be saved, and is taken again the next time.
    public func restore(_ changes: EvidenceChanges) {
        state.withLock { state in
            if isOfNow(changes.record, state) {
                for (name, tally) in EpochEvidence.tallies {
                    if let changes = changes.tallies[name] { tally.restore(&state.evidence, changes) }
                }
            }
            if let tally = changes.tallies[Self.baselineTally] { state.baseline.units.restore(tally) }
            state.baseline.restoreDurations(changes.durations.count)
        }
    }

    /// What was taken is saved. What other processes have counted meanwhile counts here from now on.
    public func adopt(_ totals: EvidenceTotals, after changes: EvidenceChanges) {
        state.withLock { state in
            state.replacesSaved = false
            if isOfNow(changes.record, state), totals.record.isSameQuestion(as: changes.record) {
                for (name, tally) in EpochEvidence.tallies {
                    guard let stored = totals.record.tallies[name], let changes = changes.tallies[name] else {
                        continue
                    }
                    tally.adopt(&state.evidence, stored, changes)
                }
            }
            if let stored = totals.record.tallies[Self.baselineTally],
                let changes = changes.tallies[Self.baselineTally]
            {
                state.baseline.units.adopt(stored, after: changes)
            }
        }
    }

    /// Whether what is counted now is what it was then.
    private func isOfNow(_ record: EvidenceRecord, _ state: State) -> Bool {
        record.epoch == state.epoch && record.key == state.evidence.key
    }

    /// Goes on where another process has stopped, before anything is recorded. What was counted under another key or in another
    /// epoch says nothing of this one, and is forgotten; how the legacy side was stays known.
    public func resume(_ saved: SavedEvidence, at stored: UpgradeState) {
        state.withLock { state in
            state.baseline.resume(saved.durations, nextSlot: saved.record.nextSlot)
            if let record = saved.record.tallies[Self.baselineTally] {
                state.baseline.units.resume(record, saved.units[Self.baselineTally] ?? [])
            }
            let record = saved.record
            let isThis =
                record.epoch == stored.epoch && record.key == key(of: stored.stage)
                && record.callsPerUnit == callsPerUnit
            state.epoch = stored.epoch
            state.replacesSaved = record.epoch > stored.epoch
            start(&state, at: stored.stage, baseline: isThis ? record.baseline : state.baseline.frozen())
            if isThis { state.evidence.resume(saved) }
        }
    }

    /// A process ended while the candidate was called, in the epoch that is counted; another one's ends count for nothing.
    ///
    /// - Parameter id: of that end, which counts once.
    func recordUncleanEnd(_ end: InFlightFile.UncleanEnd, id: String) {
        state.withLock { state in
            guard end.epoch == state.epoch else { return }
            state.evidence.record(end, id: id)
        }
    }

    static let baselineTally = "baseline"
}
