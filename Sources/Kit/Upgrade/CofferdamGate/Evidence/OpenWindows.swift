import Cofferdam
import DequeModule

/// The units of a process whose windows are open. It makes rows of calls, and counts units, not calls: each once for an
/// operation, with the marks of all its calls until its window ends.
///
/// A window begins with the first call of the operation by the unit, and ends after a span of time or with the
/// session of the unit. Later calls of that operation do not count. A user who meets one fault twenty times is one
/// failure, and a user whose second call fails is a failure too.
///
/// A unit is settled once its window and all windows of its tally that began earlier have ended, so units are settled
/// in order of arrival. If each were settled when it leaves, units with short sessions would be settled first. If
/// failing units stay longer, the settled units would look better than all units, and every candidate at the limit
/// would be promoted if enough units arrive within one window. No unit waits longer than its own span.
///
/// Each call costs O(1). At most `capacity` units of a tally have an open window: one that arrives when all do is not
/// counted. At least that many settled units are remembered, so that one that stays for hours makes no new row every
/// few minutes.
package struct OpenWindows: Sendable {
    private struct Window: Sendable {
        var operation: UInt8
        var began: Duration
        var marks: Marks
        /// The session of the unit has ended: further calls do not count.
        var isOver = false

        func state(isSettled: Bool) -> EvidenceRow.State {
            EvidenceRow.State(marks: marks, began: began.wholeNanoseconds / 1_000_000, isSettled: isSettled)
        }
    }

    /// Calls in flight, of one row.
    private struct InFlight: Sendable {
        var calls = 0
        /// Those that take too long already.
        var late = 0
    }

    /// The windows of one tally.
    private struct Queue: Sendable {
        /// For each unit the operations with a settled window, as bits.
        var settled: RecentTable<UInt64>
        var open: [UInt64: [Window]] = [:]
        /// The windows in the order in which they end.
        var order: Deque<(unit: UInt64, operation: UInt8, began: Duration)> = []
        /// How many windows wait for earlier ones, after the session of their unit.
        var over = 0

        func window(_ unit: UInt64, _ operation: UInt8) -> Window? {
            open[unit]?.first { $0.operation == operation }
        }

        func isSettled(_ slot: EvidenceRow.Slot) -> Bool {
            (settled[slot.unit] ?? 0) & 1 << UInt64(slot.operation) != 0
        }

        mutating func setSettled(_ slot: EvidenceRow.Slot) {
            settled.set((settled[slot.unit] ?? 0) | 1 << UInt64(slot.operation), for: slot.unit)
        }
    }

    /// The fold of the rows of this process.
    package private(set) var counts = UnitCounts()
    /// The rows that no ledger has yet, with the milliseconds of the caller's clock; nil if none is told.
    private(set) var unmerged: [EvidenceRow.Slot: EvidenceRow.State]?
    private let span: Duration
    private let capacity: Int
    private var queues: [Queue]
    /// The calls in flight.
    private var inFlight: [EvidenceRow.Slot: InFlight] = [:]
    /// The visits of this hour, and earlier ones of units that failed.
    private var visits: [EvidenceRow.Slot: EvidenceRow.State] = [:]
    private var hour: Int64 = 0

    /// How many visits are looked at.
    private static let maxVisits = 1_000_000

    /// - Parameter capacity: at least 1.
    package init(span: Duration, capacity: Int = EpochEvidence.capacity) {
        self.span = span
        self.capacity = max(1, capacity)
        queues = EvidenceTally.ofCalls.map { _ in Queue(settled: RecentTable(capacity: capacity)) }
    }

    /// Records a call of a unit.
    package mutating func record(_ marks: Marks, _ slot: EvidenceRow.Slot, at now: Duration) {
        let queue = Int(slot.tally.rawValue)
        settle(slot.tally) { [span] in now - $0 >= span }
        let windows = queues[queue].open[slot.unit]
        if let windows, let place = windows.firstIndex(where: { $0.operation == slot.operation }) {
            var window = windows[place]
            let before = window.state(isSettled: false)
            window.marks = window.marks.union(marks)
            guard !window.isOver, window.marks != before.marks else { return }
            queues[queue].open[slot.unit]?[place] = window
            note(.init(before: before, after: window.state(isSettled: false)), slot)
        } else if windows != nil || queues[queue].open.count < capacity, !queues[queue].isSettled(slot) {
            let window = Window(operation: slot.operation, began: now, marks: marks)
            queues[queue].open[slot.unit, default: []].append(window)
            queues[queue].order.append((slot.unit, slot.operation, now))
            note(.init(before: nil, after: window.state(isSettled: false)), slot)
        }
    }

    /// Notes the beginning of a call. Until it has ended, the unit is not settled before its span has passed.
    mutating func began(_ slot: EvidenceRow.Slot) { inFlight[slot, default: InFlight()].calls += 1 }

    /// Notes that a call in flight takes too long. If it is still in flight when the span has passed, the unit has failed:
    /// its user waits in vain.
    mutating func isLate(_ slot: EvidenceRow.Slot) { inFlight[slot]?.late += 1 }

    /// Notes the end of a call.
    mutating func ended(_ slot: EvidenceRow.Slot, wasLate: Bool) {
        guard var calls = inFlight.removeValue(forKey: slot) else { return }
        calls.calls -= 1
        if wasLate { calls.late -= 1 }
        if calls.calls > 0 { inFlight[slot] = calls }
    }

    /// Counts an unseen unit as settled.
    ///
    /// - Parameter slot: of a unit that no call has. It counts once.
    mutating func recordUnseen(_ marks: Marks, _ slot: EvidenceRow.Slot, at now: Duration) {
        let queue = Int(slot.tally.rawValue)
        guard !queues[queue].isSettled(slot) else { return }
        queues[queue].setSettled(slot)
        let window = Window(operation: slot.operation, began: now, marks: marks)
        note(.init(before: nil, after: window.state(isSettled: true)), slot)
    }

    /// Settles the units whose windows have ended.
    mutating func settle(until now: Duration) {
        for tally in EvidenceTally.ofCalls { settle(tally) { [span] in now - $0 >= span } }
    }

    /// Ends the windows of a unit with its session.
    mutating func end(_ unit: UInt64) {
        for tally in EvidenceTally.ofCalls {
            let queue = Int(tally.rawValue)
            guard var windows = queues[queue].open[unit] else { continue }
            for place in windows.indices where !windows[place].isOver {
                windows[place].isOver = true
                queues[queue].over += 1
            }
            queues[queue].open[unit] = windows
            settle(tally) { _ in false }
        }
    }

    /// Settles units in order, up to the first one with an open window.
    ///
    /// - Parameter hasPassed: whether the span of a window that began at that time has passed.
    private mutating func settle(_ tally: EvidenceTally, _ hasPassed: (Duration) -> Bool) {
        let queue = Int(tally.rawValue)
        while let first = queues[queue].order.first {
            let hasPassed = hasPassed(first.began)
            guard hasPassed || queues[queue].over > 0 else { return }
            let slot = EvidenceRow.Slot(unit: first.unit, tally: tally, operation: first.operation)
            let waiting = inFlight[slot]
            guard hasPassed || waiting == nil && queues[queue].window(first.unit, first.operation)?.isOver ?? true
            else {
                return
            }
            queues[queue].order.removeFirst()
            settle(slot, waiting?.late ?? 0 > 0 ? .failed : .none)
        }
    }

    /// - Parameter marks: what the unit has come to at the end of its window.
    private mutating func settle(_ slot: EvidenceRow.Slot, _ marks: Marks) {
        let queue = Int(slot.tally.rawValue)
        guard let place = queues[queue].open[slot.unit]?.firstIndex(where: { $0.operation == slot.operation }),
            var window = queues[queue].open[slot.unit]?.remove(at: place)
        else { return }
        if queues[queue].open[slot.unit]?.isEmpty ?? false { queues[queue].open[slot.unit] = nil }
        queues[queue].setSettled(slot)
        if window.isOver { queues[queue].over -= 1 }
        let before = window.state(isSettled: false)
        window.marks = window.marks.union(marks)
        note(.init(before: before, after: window.state(isSettled: true)), slot)
    }

    private mutating func note(_ change: EvidenceRow.State.Change, _ slot: EvidenceRow.Slot) {
        counts.apply(change, to: slot)
        guard unmerged != nil else { return }
        // A unit that was forgotten may come back before its settled row is merged.
        if let merged = EvidenceRow.State.merge(change.after, into: unmerged?[slot], in: slot.tally) {
            unmerged?[slot] = merged.after
        }
    }

    // MARK: Visits

    /// Records a call of a unit in that hour, however long ago its window was.
    mutating func visit(_ marks: Marks, _ slot: EvidenceRow.Slot, in hour: Int64) {
        guard let tally = slot.tally.visits else { return }
        let slot = EvidenceRow.Slot(unit: slot.unit, tally: tally, operation: slot.operation)
        if hour > self.hour {
            self.hour = hour
            visits = visits.filter { $0.value.marks.met != .none }
        }
        guard visits.count < Self.maxVisits || visits[slot] != nil else { return }
        let state = EvidenceRow.State(marks: marks.met, began: hour * VisitHour.milliseconds, isSettled: false)
        guard let change = EvidenceRow.State.merge(state, into: visits[slot], in: tally) else { return }
        visits[slot] = change.after
        note(change, slot)
    }

    /// The number of remembered units and of open windows.
    var remembered: (settled: Int, open: Int) {
        queues.reduce((0, 0)) { ($0.0 + $1.settled.count, $0.1 + $1.order.count) }
    }

    // MARK: Rows for a ledger

    /// The number of rows that no ledger has yet.
    package var rowCount: Int { unmerged?.count ?? 0 }

    /// Whether there are any.
    package var hasRows: Bool { rowCount > 0 }

    /// Collects rows from now on.
    package mutating func keepRows() { if unmerged == nil { unmerged = [:] } }

    /// Collects no rows any more, and drops those that wait. The counts stay.
    package mutating func dropRows() { unmerged = nil }

    /// Notes that a ledger has that row. One that has changed since stays.
    package mutating func acknowledge(_ row: EvidenceRow) {
        guard let state = unmerged?[row.slot], state.marks == row.state.marks, state.isSettled == row.state.isSettled
        else { return }
        unmerged?[row.slot] = nil
    }
}

/// The rows that one call changes: that of its operation, and that of all operations together.
package struct CallRows: Sendable, Hashable {
    var unit: UInt64
    var tally: EvidenceTally
    /// The place of the operation; nil if there is none, or no place is left.
    var operation: UInt8?
    /// Whether the unit is only a session. It counts for its operations, and not among all units, where sessions would
    /// outnumber units.
    var isAnonymous = false

    @inline(__always)
    func forEach(_ body: (EvidenceRow.Slot) -> Void) {
        if !isAnonymous { body(EvidenceRow.Slot(unit: unit, tally: tally, operation: EvidenceNames.all)) }
        if let operation { body(EvidenceRow.Slot(unit: unit, tally: tally, operation: operation)) }
    }
}

/// A dictionary that remembers at least the last `capacity` keys, and never holds more than twice as many. When a
/// generation is full, the previous one is forgotten.
struct RecentTable<Value: Sendable>: Sendable {
    private var current: [UInt64: Value] = [:]
    private var previous: [UInt64: Value] = [:]
    private let capacity: Int

    /// - Parameter capacity: at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { current.count + previous.count }

    subscript(_ key: UInt64) -> Value? { current[key] ?? previous[key] }

    /// Adds or changes a key, in amortised O(1).
    mutating func set(_ value: Value, for key: UInt64) {
        if previous[key] != nil {
            previous[key] = value
            return
        }
        current[key] = value
        guard current.count >= capacity else { return }
        previous = current
        current = [:]
    }
}
