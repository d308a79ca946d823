import DequeModule

/// The outcome of a unit in a window: the union of the outcomes of its calls.
protocol WindowOutcome: Sendable, Hashable {
    /// Adds the outcome of another call.
    mutating func merge(_ other: Self)
}

/// Counts units, not calls: each once for an operation, with the outcomes of all its calls until its window ends.
///
/// A window begins with the first call of the operation by the unit, and ends after a span of time or with the
/// session of the unit. Later calls of that operation do not count. A user who meets one fault twenty times is one
/// failure, and a user whose second call fails is a failure too.
///
/// A unit is settled once its window and all windows that began earlier have ended, so units are settled in order of
/// arrival. If each were settled when it leaves, units with short sessions would be settled first. If failing units
/// stay longer, the settled units would look better than all units, and every candidate at the limit would be
/// promoted if enough units arrive within one window. No unit waits longer than its own span.
///
/// Each call costs O(1). At least the last `capacity` settled units are remembered, and at most that many windows are
/// open: a unit that arrives when all are open is not counted.
struct WindowTally<Outcome: WindowOutcome>: Sendable {
    /// The units of one operation.
    struct Counts: Sendable, Hashable {
        /// All units, with their outcomes so far.
        var begun: [Outcome: Int] = [:]
        /// The units with a settled window.
        var settled: [Outcome: Int] = [:]
    }

    struct Window: Sendable, Hashable {
        var operation: Int
        var began: Duration
        var outcome: Outcome
        /// The session of the unit has ended: further calls do not count.
        var isOver = false
    }

    /// A window to be saved.
    struct Change: Sendable, Hashable {
        var unit: UInt64
        var window: Window
        var isSettled: Bool
    }

    private struct Slot: Hashable, Sendable {
        var unit: UInt64
        var operation: Int
    }

    /// The counts by the place of the operation.
    private(set) var counts: [Int: Counts] = [:]
    private let span: Duration
    private let capacity: Int
    /// For each unit the operations with a settled window, as bits.
    private var done: RecentTable<UInt64>
    private var open: [UInt64: [Window]] = [:]
    /// The windows in the order in which they end.
    private var order: Deque<(slot: Slot, began: Duration)> = []

    /// Nil if nothing is saved.
    private var unsaved: [Slot: Window?]?

    /// - Parameter capacity: at least 1.
    init(span: Duration, capacity: Int) {
        self.span = span
        self.capacity = max(1, capacity)
        done = RecentTable(capacity: capacity)
    }

    /// Records a call.
    ///
    /// - Parameter operation: 0 to 63.
    mutating func record(_ outcome: Outcome, unit: UInt64, operation: Int, at now: Duration) {
        settle(until: now)
        if let done = done[unit], done & Self.bit(operation) != 0 { return }
        if let place = open[unit]?.firstIndex(where: { $0.operation == operation }) {
            merge(outcome, unit, place)
        } else if open.count < capacity || open[unit] != nil {
            begin(Window(operation: operation, began: now, outcome: outcome), unit)
            counts[operation, default: Counts()].begun.add(1, to: outcome)
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
        counts[window.operation, default: Counts()].begun.add(-1, to: before)
        counts[window.operation, default: Counts()].begun.add(1, to: window.outcome)
        note(unit, window.operation)
    }

    /// Settles the units whose windows have ended.
    mutating func settle(until now: Duration) { settle { [span] in now - $0 >= span } }

    /// Ends the windows of a unit with its session.
    mutating func end(_ unit: UInt64) {
        guard var windows = open[unit] else { return }
        for place in windows.indices { windows[place].isOver = true }
        open[unit] = windows
        settle { _ in false }
    }

    /// Settles units in order, up to the first one with an open window.
    ///
    /// - Parameter hasPassed: whether the span of a window that began at that time has passed.
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
        counts[window.operation, default: Counts()].settled.add(1, to: window.outcome)
        finish(slot)
        if unsaved != nil { unsaved?[slot] = .some(window) }
    }

    private mutating func finish(_ slot: Slot) {
        done.set(done[slot.unit, default: 0] | Self.bit(slot.operation), for: slot.unit)
    }

    /// Counts an unseen unit as settled.
    ///
    /// - Parameter unit: an id that no other unit has. It counts once.
    /// - Returns: whether it counted now.
    @discardableResult
    mutating func recordUnseen(_ outcome: Outcome, unit: UInt64, operation: Int, at now: Duration) -> Bool {
        let slot = Slot(unit: unit, operation: operation)
        if let done = done[unit], done & Self.bit(operation) != 0 { return false }
        counts[operation, default: Counts()].begun.add(1, to: outcome)
        counts[operation, default: Counts()].settled.add(1, to: outcome)
        finish(slot)
        if unsaved != nil {
            unsaved?[slot] = .some(Window(operation: operation, began: now, outcome: outcome))
        }
        return true
    }

    /// The number of remembered units and of open windows.
    var remembered: (settled: Int, open: Int) { (done.count, order.count) }

    private static func bit(_ operation: Int) -> UInt64 { 1 << UInt64(operation) }

    // MARK: Persistence

    /// Starts collecting changes to save.
    mutating func noteChanges() { if unsaved == nil { unsaved = [:] } }

    /// Stops collecting changes and drops those that wait. The counts stay.
    mutating func dropChanges() { unsaved = nil }

    /// The number of windows that changed since the last save.
    var unsavedCount: Int { unsaved?.count ?? 0 }

    private mutating func note(_ unit: UInt64, _ operation: Int) {
        guard unsaved != nil else { return }
        // Open windows are read when they are saved.
        unsaved?[Slot(unit: unit, operation: operation)] = .some(nil)
    }

    /// Returns the changes since the last call.
    mutating func takeChanges() -> [Change] {
        guard let slots = unsaved else { return [] }
        unsaved = [:]
        return slots.compactMap { slot, settled in
            if let settled { return Change(unit: slot.unit, window: settled, isSettled: true) }
            let window = open[slot.unit]?.first { $0.operation == slot.operation }
            return window.map { Change(unit: slot.unit, window: $0, isSettled: false) }
        }
    }

    /// Restores changes that could not be saved.
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

    /// Adopts the stored counts, which other processes contribute to, and adds the counts since the changes were
    /// taken.
    mutating func adopt(_ stored: [Int: Counts], since before: [Int: Counts]) {
        var next = stored
        for (operation, counts) in counts {
            next[operation, default: Counts()].begun.add(counts.begun, minus: before[operation]?.begun ?? [:])
            next[operation, default: Counts()].settled.add(counts.settled, minus: before[operation]?.settled ?? [:])
        }
        counts = next
    }

    /// Continues from saved counts.
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
    fileprivate mutating func add(_ count: Int, to key: Key) {
        let sum = self[key, default: 0] + count
        self[key] = sum == 0 ? nil : sum
    }

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

/// A dictionary that remembers at least the last `capacity` keys, and never holds more than twice as many. When a
/// generation is full, the previous one is forgotten.
struct RecentTable<Value: Sendable>: Sendable {
    private var current: [UInt64: Value] = [:]
    private var previous: [UInt64: Value] = [:]
    private let capacity: Int

    /// - Parameter capacity: at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { current.count + previous.count }

    /// All entries, oldest generation first.
    var all: [(key: UInt64, value: Value)] { previous.map { $0 } + current.map { $0 } }

    subscript(_ key: UInt64) -> Value? { current[key] ?? previous[key] }

    /// Adds or changes a key, in amortised O(1).
    ///
    /// - Returns: how many keys were forgotten.
    @discardableResult
    mutating func set(_ value: Value, for key: UInt64) -> Int {
        if previous[key] != nil {
            previous[key] = value
            return 0
        }
        current[key] = value
        guard current.count >= capacity else { return 0 }
        let forgotten = previous.count
        previous = current
        current = [:]
        return forgotten
    }

    mutating func remove(_ key: UInt64) {
        if current.removeValue(forKey: key) == nil { previous[key] = nil }
    }
}
