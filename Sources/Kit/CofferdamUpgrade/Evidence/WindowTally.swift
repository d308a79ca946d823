import DequeModule

/// What a unit can live through in a window: everything that any of its calls came to.
protocol WindowOutcome: Sendable, Hashable {
    /// The unit has made another call.
    mutating func merge(_ other: Self)
}

/// Counts units, not calls: each once for an operation, with all that its calls come to until its window ends.
///
/// A window begins with the unit's first call of the operation, and ends after a span of time or with the unit's session. From then
/// on the unit's later calls of that operation count no more. One user who meets one fault twenty times is one failure, and one whose
/// second call fails is a failure too.
///
/// A unit whose window has ended is settled when those have ended too that began before it: units are settled in the order in which
/// they came. If each were settled when it leaves, those who soon leave would be settled first, and where units that fail stay longer,
/// the settled ones would be better than all: of candidates at the limit every one would be promoted, where enough units come within
/// one window. None waits longer than its own span.
///
/// Each call costs O(1). At least the last `capacity` settled units are remembered, and at most as many windows are open: a unit
/// that comes when they are is not counted.
struct WindowTally<Outcome: WindowOutcome>: Sendable {
    /// The units of one operation.
    struct Counts: Sendable, Hashable {
        /// All of them, with what they have lived through until now.
        var begun: [Outcome: Int] = [:]
        /// Those whose window has ended.
        var settled: [Outcome: Int] = [:]
    }

    struct Window: Sendable, Hashable {
        var operation: Int
        var began: Duration
        var outcome: Outcome
        /// The unit's session has ended: what it calls counts no more.
        var isOver = false
    }

    /// A unit's window, as it is to be saved.
    struct Change: Sendable, Hashable {
        var unit: UInt64
        var window: Window
        var isSettled: Bool
    }

    private struct Slot: Hashable, Sendable {
        var unit: UInt64
        var operation: Int
    }

    /// By the operations' places.
    private(set) var counts: [Int: Counts] = [:]
    private let span: Duration
    private let capacity: Int
    /// For each unit the operations whose windows have ended, as bits.
    private var done: RecentTable<UInt64>
    private var open: [UInt64: [Window]] = [:]
    /// In the order in which the windows end.
    private var order: Deque<(slot: Slot, began: Duration)> = []

    /// Nil where nothing is to be saved.
    private var unsaved: [Slot: Window?]?

    /// - Parameter capacity: at least 1.
    init(span: Duration, capacity: Int) {
        self.span = span
        self.capacity = max(1, capacity)
        done = RecentTable(capacity: capacity)
    }

    /// Takes note of a call.
    ///
    /// - Parameter operation: 0 to 63.
    mutating func record(_ outcome: Outcome, unit: UInt64, operation: Int, at now: Duration) {
        settle(until: now)
        if let done = done[unit], done & Self.bit(operation) != 0 { return }
        if let place = open[unit]?.firstIndex(where: { $0.operation == operation }) {
            merge(outcome, unit, place)
        } else if open.count < capacity || open[unit] != nil {
            begin(Window(operation: operation, began: now, outcome: outcome), unit)
            count(1, outcome, \.begun, operation)
            note(unit, operation)
        }
    }

    private mutating func begin(_ window: Window, _ unit: UInt64) {
        open[unit, default: []].append(window)
        order.append((Slot(unit: unit, operation: window.operation), window.began))
    }

    private mutating func merge(_ outcome: Outcome, _ unit: UInt64, _ place: Int) {
        guard var window = open[unit]?[place], !window.isOver else { return }
        let before = window.outcome
        window.outcome.merge(outcome)
        guard window.outcome != before else { return }
        open[unit]?[place] = window
        count(-1, before, \.begun, window.operation)
        count(1, window.outcome, \.begun, window.operation)
        note(unit, window.operation)
    }

    /// Settles the units whose windows have ended by then.
    mutating func settle(until now: Duration) { settle { [span] in now - $0 >= span } }

    /// The unit's session has ended, and with it its windows.
    mutating func end(_ unit: UInt64) {
        guard var windows = open[unit] else { return }
        for place in windows.indices { windows[place].isOver = true }
        open[unit] = windows
        settle { _ in false }
    }

    /// Settles the first units, up to one whose window is open.
    ///
    /// - Parameter hasPassed: whether the span of a window that began then has.
    private mutating func settle(_ hasPassed: (Duration) -> Bool) {
        while let first = order.first, hasPassed(first.began) || isOver(first.slot) {
            order.removeFirst()
            settle(first.slot)
        }
    }

    private func isOver(_ slot: Slot) -> Bool {
        open[slot.unit]?.first { $0.operation == slot.operation }?.isOver ?? true
    }

    private mutating func settle(_ slot: Slot) {
        guard let place = open[slot.unit]?.firstIndex(where: { $0.operation == slot.operation }),
            let window = open[slot.unit]?.remove(at: place)
        else { return }
        if open[slot.unit]?.isEmpty ?? false { open[slot.unit] = nil }
        count(1, window.outcome, \.settled, window.operation)
        finish(slot)
        if unsaved != nil { unsaved?[slot] = .some(window) }
    }

    private mutating func finish(_ slot: Slot) {
        done.set(done[slot.unit, default: 0] | Self.bit(slot.operation), for: slot.unit)
    }

    /// Counts a unit that was not seen: it is settled as it is.
    ///
    /// - Parameter unit: one that no other has. It counts once.
    /// - Returns: whether it counted now.
    @discardableResult
    mutating func recordUnseen(_ outcome: Outcome, unit: UInt64, operation: Int, at now: Duration) -> Bool {
        let slot = Slot(unit: unit, operation: operation)
        if let done = done[unit], done & Self.bit(operation) != 0 { return false }
        count(1, outcome, \.begun, operation)
        count(1, outcome, \.settled, operation)
        finish(slot)
        if unsaved != nil {
            unsaved?[slot] = .some(Window(operation: operation, began: now, outcome: outcome))
        }
        return true
    }

    private mutating func count(
        _ by: Int,
        _ outcome: Outcome,
        _ which: WritableKeyPath<Counts, [Outcome: Int]>,
        _ operation: Int
    ) {
        let now = counts[operation, default: Counts()][keyPath: which][outcome, default: 0] + by
        counts[operation, default: Counts()][keyPath: which][outcome] = now == 0 ? nil : now
    }

    /// How many units are remembered, and how many windows are open.
    var remembered: (settled: Int, open: Int) { (done.count, order.count) }

    private static func bit(_ operation: Int) -> UInt64 { 1 << UInt64(operation) }

    // MARK: Beyond the process

    /// Changes are noted from now on, to be saved.
    mutating func noteChanges() { if unsaved == nil { unsaved = [:] } }

    /// Changes are noted no longer, and those that were are dropped. What is counted stays.
    mutating func dropChanges() { unsaved = nil }

    /// How many windows have changed since they were saved.
    var unsavedCount: Int { unsaved?.count ?? 0 }

    private mutating func note(_ unit: UInt64, _ operation: Int) {
        guard unsaved != nil else { return }
        // What is open is looked up when it is saved.
        unsaved?[Slot(unit: unit, operation: operation)] = .some(nil)
    }

    /// What has changed since the last time.
    mutating func takeChanges() -> [Change] {
        guard let slots = unsaved else { return [] }
        unsaved = [:]
        return slots.compactMap { slot, settled in
            if let settled { return Change(unit: slot.unit, window: settled, isSettled: true) }
            let window = open[slot.unit]?.first { $0.operation == slot.operation }
            return window.map { Change(unit: slot.unit, window: $0, isSettled: false) }
        }
    }

    /// They could not be saved, and are taken again the next time.
    mutating func restore(_ changes: [Change]) {
        guard unsaved != nil else { return }
        for change in changes {
            let slot = Slot(unit: change.unit, operation: change.window.operation)
            if change.isSettled {
                unsaved?[slot] = .some(change.window)
            } else if unsaved?[slot] == nil {
                unsaved?[slot] = .some(nil)
            }
        }
    }

    /// Goes on from what stands in the store, where others count too; what has changed here since the changes were taken is added.
    mutating func adopt(_ stored: [Int: Counts], since before: [Int: Counts]) {
        var next = stored
        for (operation, counts) in counts {
            next[operation, default: Counts()].begun.add(counts.begun, minus: before[operation]?.begun ?? [:])
            next[operation, default: Counts()].settled.add(counts.settled, minus: before[operation]?.settled ?? [:])
        }
        counts = next
    }

    /// Goes on where it was saved.
    mutating func resume(
        _ stored: [Int: Counts],
        settled: [(unit: UInt64, operations: UInt64)],
        open windows: [(unit: UInt64, window: Window)]
    ) {
        counts = stored
        for (unit, operations) in settled { done.set(operations, for: unit) }
        for (unit, window) in windows.sorted(by: { $0.window.began < $1.window.began }) {
            if let done = done[unit], done & Self.bit(window.operation) != 0 { continue }
            begin(window, unit)
        }
    }
}

extension Dictionary where Value == Int {
    fileprivate mutating func add(_ counts: Self, minus others: Self) {
        for key in Set(counts.keys).union(others.keys) {
            let sum = self[key, default: 0] + counts[key, default: 0] - others[key, default: 0]
            self[key] = sum > 0 ? sum : nil
        }
    }
}

extension RecentTable {
    fileprivate subscript(_ key: UInt64, default value: Value) -> Value { self[key] ?? value }
}
