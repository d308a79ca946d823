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
                    nextSlot: state.baseline.nextSlot
                ),
                tallies: tallies,
                durations: state.baseline.takeDurations()
            )
        }
    }

    /// What was taken could not be saved: the next time it is everything.
    public func changesWereLost() {
        state.withLock { state in
            state.evidence.noteUnsaved()
            state.baseline.noteUnsaved()
        }
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
            start(&state, at: stored.stage, baseline: isThis ? record.baseline : state.baseline.frozen())
            if isThis { state.evidence.resume(saved) }
        }
    }

    /// The process ended while so many calls of the candidate were under way: each of them is a failure of the candidate's.
    ///
    /// - Parameters:
    ///   - epoch: in which they were; another one's count for nothing.
    ///   - id: of that end.
    public func recordUncleanEnd(calls: Int, epoch: Int, id: String) {
        state.withLock { state in
            guard epoch == state.epoch else { return }
            // Whose they were is not known: at the worst, each another's.
            for number in 0..<max(0, calls) {
                let unit = "unclean end \(id), \(number)"
                if state.evidence.key.stage.side == .legacy {
                    state.evidence.record(ComparisonOutcome.candidateFailed, unit: unit)
                } else {
                    state.evidence.record(CallOutcome.failed, by: .candidate, unit: unit)
                }
            }
        }
    }

    private static let baselineTally = "baseline"
}

extension EpochEvidence {
    fileprivate mutating func takeChanges() -> [String: TallyChanges] {
        [
            "comparisons": comparisons.takeChanges(), "legacy": legacy.takeChanges(),
            "candidate": candidate.takeChanges(), "speeds": speeds.takeChanges(),
        ]
    }

    fileprivate mutating func noteUnsaved() {
        comparisons.noteUnsaved()
        legacy.noteUnsaved()
        candidate.noteUnsaved()
        speeds.noteUnsaved()
    }

    fileprivate mutating func resume(_ saved: SavedEvidence) {
        comparisons.resume(saved, "comparisons")
        legacy.resume(saved, "legacy")
        candidate.resume(saved, "candidate")
        speeds.resume(saved, "speeds")
    }
}

extension UnitTally where Verdict: SavedVerdict {
    fileprivate mutating func resume(_ saved: SavedEvidence, _ name: String) {
        guard let record = saved.record.tallies[name] else { return }
        resume(record, saved.units[name] ?? [])
    }
}
