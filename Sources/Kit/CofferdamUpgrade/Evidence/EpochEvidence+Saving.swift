extension EpochEvidence {
    /// What is done with each of its tallies, by their names.
    static let tallies: [(name: String, tally: SavedTally)] = [
        ("comparisons", SavedTally(\.comparisons)), ("legacy", SavedTally(\.legacy)),
        ("candidate", SavedTally(\.candidate)), ("speeds", SavedTally(\.speeds)),
    ]

    mutating func takeChanges() -> [String: TallyChanges] {
        var changes: [String: TallyChanges] = [:]
        for (name, tally) in Self.tallies { changes[name] = tally.take(&self) }
        return changes
    }

    mutating func resume(_ saved: SavedEvidence) {
        for (name, tally) in Self.tallies {
            guard let record = saved.record.tallies[name] else { continue }
            tally.resume(&self, record, saved.units[name] ?? [])
        }
    }
}

/// One tally of an epoch, whatever it counts.
struct SavedTally: Sendable {
    let take: @Sendable (inout EpochEvidence) -> TallyChanges
    let restore: @Sendable (inout EpochEvidence, TallyChanges) -> Void
    let adopt: @Sendable (inout EpochEvidence, TallyRecord, TallyChanges) -> Void
    let resume: @Sendable (inout EpochEvidence, TallyRecord, [TallyChanges.Unit]) -> Void

    init<Verdict: SavedVerdict>(_ path: any WritableKeyPath<EpochEvidence, UnitTally<Verdict>> & Sendable) {
        take = { $0[keyPath: path].takeChanges() }
        restore = { $0[keyPath: path].restore($1) }
        adopt = { $0[keyPath: path].adopt($1, after: $2) }
        resume = { $0[keyPath: path].resume($1, $2) }
    }
}
