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
    /// How many units were seen at all.
    public private(set) var started = 0
    /// How many units were forgotten before they had made all their calls.
    public private(set) var abandoned = 0

    private var done: RecentTable<Bool>
    private var begun: RecentTable<Begun>
    private var unsaved = UnsavedKeys()

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
        unsaved.note(key)
        guard now.calls >= callsPerUnit else {
            let forgotten = begun.set(now, for: key)
            abandoned += forgotten
            if forgotten > 0 { unsaved.noteAll() }
            return nil
        }
        if before != nil { begun.remove(key) }
        if done.set(true, for: key) > 0 { unsaved.noteAll() }
        counts[now.worst, default: 0] += 1
        counted += 1
        return now.worst
    }

    /// How many units are remembered now.
    public var remembered: Int { done.count + begun.count }

    // MARK: On the disk

    /// What has changed since the last time, to be saved.
    mutating func takeChanges() -> TallyChanges where Verdict: SavedVerdict {
        var units: [TallyChanges.Unit] = []
        let keys = unsaved.take()
        if let keys {
            for key in keys {
                if done[key] != nil {
                    units.append(.init(key: key, calls: callsPerUnit, worst: nil))
                } else if let unit = begun[key] {
                    units.append(.init(key: key, calls: unit.calls, worst: unit.worst.text))
                }
            }
        } else {
            units = done.all.map { .init(key: $0.key, calls: callsPerUnit, worst: nil) }
            units += begun.all.map { .init(key: $0.key, calls: $0.value.calls, worst: $0.value.worst.text) }
        }
        return TallyChanges(
            record: TallyRecord(
                counts: Dictionary(uniqueKeysWithValues: counts.map { ($0.key.text, $0.value) }),
                started: started,
                abandoned: abandoned
            ),
            isWhole: keys == nil,
            units: units
        )
    }

    /// Everything is to be saved again.
    mutating func noteUnsaved() { unsaved.noteAll() }

    /// Goes on where it was saved. A verdict that this version does not know is nobody's.
    mutating func resume(_ record: TallyRecord, _ units: [TallyChanges.Unit]) where Verdict: SavedVerdict {
        for (text, count) in record.counts {
            guard let verdict = Verdict(text: text) else { continue }
            counts[verdict, default: 0] += Self.possible(count)
        }
        counted = counts.values.reduce(0, +)
        (started, abandoned) = (Self.possible(record.started), Self.possible(record.abandoned))
        for unit in units {
            if let worst = unit.worst.flatMap(Verdict.init(text:)) {
                begun.set(Begun(calls: min(max(0, unit.calls), callsPerUnit), worst: worst), for: unit.key)
            } else {
                done.set(true, for: unit.key)
            }
        }
        _ = unsaved.take()
    }

    /// What a damaged file may hold must not overflow later.
    private static func possible(_ count: Int) -> Int { min(max(0, count), 1 << 40) }
}
