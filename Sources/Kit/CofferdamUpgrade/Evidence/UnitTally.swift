/// Counts units, not calls: each once, with the worst verdict among its first calls, when that many have been made.
///
/// One user who meets one fault twenty times is one failure. Each call costs O(1), and the memory is bounded: at least the
/// last `capacity` units are remembered, counted and begun ones, and at most twice as many of each.
public struct UnitTally<Verdict: Hashable & Comparable & Sendable>: Sendable {
    /// How many calls of a unit make its verdict.
    public let callsPerUnit: Int
    /// How many units were counted with each verdict.
    public private(set) var counts: [Verdict: Int] = [:]
    /// How many units were counted.
    public private(set) var counted = 0
    /// How many units were seen at all, in their calls.
    public private(set) var started = 0
    /// How many units were forgotten before they had made all their calls.
    public private(set) var abandoned = 0

    private var done: RecentTable<Bool>
    private var begun: RecentTable<Begun>
    private var unsaved = UnsavedUnits<Verdict>()
    /// What is known to stand in the store.
    private var saved = TallyRecord.zero

    private struct Begun: Sendable {
        var calls: Int
        var worst: Verdict
    }

    /// - Parameters:
    ///   - callsPerUnit: w, at least 1; less is taken as 1.
    ///   - capacity: at least as many as an epoch decides on, so that none counts twice before the decision.
    public init(callsPerUnit: Int = 1, capacity: Int = 50_000) {
        self.callsPerUnit = max(1, callsPerUnit)
        done = RecentTable(capacity: capacity)
        begun = RecentTable(capacity: capacity)
    }

    /// Takes note of a call.
    ///
    /// - Returns: the verdict with which the unit is counted, if this call was the last one that it needed.
    @discardableResult
    public mutating func record(_ verdict: Verdict, unit: String) -> Verdict? {
        let key = UnitKey.key(of: unit)
        guard done[key] == nil else { return nil }
        let before = begun[key]
        if before == nil { started += 1 }
        let now = Begun(calls: (before?.calls ?? 0) + 1, worst: before.map { max($0.worst, verdict) } ?? verdict)
        let isCounted = now.calls >= callsPerUnit
        unsaved.note(key, .init(isNew: before == nil, verdict: isCounted ? now.worst : nil))
        guard isCounted else {
            let forgotten = begun.set(now, for: key)
            abandoned += forgotten
            if forgotten > 0 { unsaved.noteAll() }
            return nil
        }
        if before != nil { begun.remove(key) }
        count(now.worst, key)
        return now.worst
    }

    /// Takes note of a unit's verdict without its calls: it is none of ``started``.
    ///
    /// - Parameter name: one that no unit has. It counts once.
    mutating func recordUnseen(_ verdict: Verdict, _ name: String) {
        let key = UnitKey.key(of: name)
        guard done[key] == nil else { return }
        unsaved.note(key, .init(verdict: verdict))
        count(verdict, key)
    }

    private mutating func count(_ verdict: Verdict, _ key: UInt64) {
        if done.set(true, for: key) > 0 { unsaved.noteAll() }
        counts[verdict, default: 0] += 1
        counted += 1
    }

    /// How many units are remembered now.
    public var remembered: Int { done.count + begun.count }

    // MARK: On the disk

    /// What has changed since the last time, to be saved.
    mutating func takeChanges() -> TallyChanges where Verdict: SavedVerdict {
        let changed = unsaved.take()
        let record = record()
        defer { saved = record }
        return TallyChanges(
            record: record,
            before: saved,
            isWhole: changed == nil,
            units: changed.map(units) ?? allUnits()
        )
    }

    private func record() -> TallyRecord where Verdict: SavedVerdict {
        TallyRecord(
            counts: Dictionary(uniqueKeysWithValues: counts.map { ($0.key.text, $0.value) }),
            started: started,
            abandoned: abandoned
        )
    }

    private func units(_ changed: [UInt64: UnsavedUnits<Verdict>.Change]) -> [TallyChanges.Unit]
    where Verdict: SavedVerdict {
        changed.compactMap { key, change in
            let counted = done[key].map { _ in TallyChanges.Unit(key: key, calls: callsPerUnit) }
            let unit = counted ?? begun[key].map { Self.unit(key, $0) }
            return unit.map {
                var unit = $0
                (unit.isNew, unit.verdict) = (change.isNew, change.verdict?.text)
                return unit
            }
        }
    }

    private func allUnits() -> [TallyChanges.Unit] where Verdict: SavedVerdict {
        done.all.map { .init(key: $0.key, calls: callsPerUnit) } + begun.all.map { Self.unit($0.key, $0.value) }
    }

    private static func unit(_ key: UInt64, _ unit: Begun) -> TallyChanges.Unit where Verdict: SavedVerdict {
        TallyChanges.Unit(key: key, calls: unit.calls, worst: unit.worst.text)
    }

    /// They could not be saved, and are to be the next time.
    mutating func restore(_ changes: TallyChanges) where Verdict: SavedVerdict {
        saved = saved + changes.before - changes.record
        guard !changes.isWhole else { return unsaved.noteAll() }
        for unit in changes.units {
            unsaved.note(unit.key, .init(isNew: unit.isNew, verdict: unit.verdict.flatMap(Verdict.init(text:))))
        }
    }

    /// Goes on from what stands in the store, now that changes were saved: others count there too.
    mutating func adopt(_ stored: TallyRecord, after changes: TallyChanges) where Verdict: SavedVerdict {
        let others = stored - changes.record
        saved = saved + others
        add(others)
    }

    /// Goes on where it was saved. A verdict that this version does not know is nobody's.
    mutating func resume(_ record: TallyRecord, _ units: [TallyChanges.Unit]) where Verdict: SavedVerdict {
        add(record)
        saved = self.record()
        for unit in units {
            if let worst = unit.worst.flatMap(Verdict.init(text:)) {
                begun.set(Begun(calls: min(max(0, unit.calls), callsPerUnit), worst: worst), for: unit.key)
            } else {
                done.set(true, for: unit.key)
            }
        }
        _ = unsaved.take()
    }

    private mutating func add(_ record: TallyRecord) where Verdict: SavedVerdict {
        for (text, count) in record.counts {
            guard let verdict = Verdict(text: text) else { continue }
            counts[verdict] = Self.possible(counts[verdict, default: 0] &+ count)
        }
        counted = counts.values.reduce(0, +)
        (started, abandoned) = (Self.possible(started &+ record.started), Self.possible(abandoned &+ record.abandoned))
    }

    /// What a damaged file may hold must not overflow later.
    private static func possible(_ count: Int) -> Int { min(max(0, count), 1 << 40) }
}
