/// What is counted of units, each in a tally of its own.
package enum EvidenceTally: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// Calls that were made on both sides.
    case comparisons
    /// Calls that the legacy side answered.
    case legacy
    /// Calls that the candidate answered.
    case candidate
    /// The calls of named units to the candidate, which belong to no side and no test.
    case named
    /// Units that another build counted first.
    case crossed
    /// Visits of units to the legacy side: see ``isOfVisits``.
    case legacyVisits
    /// Visits of units to the candidate.
    case candidateVisits

    /// The name in reports and in stored counts.
    package var name: String {
        switch self {
        case .comparisons: "comparisons"
        case .legacy: "legacy"
        case .candidate: "candidate"
        case .named: "named"
        case .crossed: "crossed"
        case .legacyVisits: "legacyVisits"
        case .candidateVisits: "candidateVisits"
        }
    }

    /// Whether a row is a unit's latest visit: what its calls met in the last hour in which it made any. For the alarm,
    /// which must see what breaks after a unit's window.
    package var isOfVisits: Bool { self == .legacyVisits || self == .candidateVisits }

    /// The visits to the side whose calls this tally counts; nil for a tally of anything else.
    var visits: EvidenceTally? {
        switch self {
        case .legacy: .legacyVisits
        case .candidate: .candidateVisits
        case .comparisons, .named, .crossed, .legacyVisits, .candidateVisits: nil
        }
    }

    package init?(name: some StringProtocol) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The tallies of what a unit met.
    static let ofCalls: [EvidenceTally] = [.comparisons, .legacy, .candidate, .named]

    /// The tallies that a device reports.
    static let reported = ofCalls + [.legacyVisits, .candidateVisits]
}

/// The hours in which units visit a side.
package enum VisitHour {
    static let milliseconds: Int64 = 3_600_000
    /// How many hours the alarm looks back.
    static let count: Int64 = 48
    /// For how many hours after a visit it may still arrive.
    static let patience: Int64 = 24

    /// The hour since 1970 in which that moment lies, in milliseconds since 1970.
    package static func hour(of time: Int64) -> Int64 { time / milliseconds }

    /// When the hour began, in milliseconds since 1970; the present hour for one that a wrong clock names.
    static func began(_ hour: Int64, at now: Int64) -> Int64 {
        let current = self.hour(of: now)
        return (current - patience + 1...current + 1).contains(hour) ? hour * milliseconds : current * milliseconds
    }
}

/// What one unit met at one operation in its window, in one epoch and under one key.
package struct EvidenceRow: Sendable, Hashable {
    /// Identifies a row of an epoch.
    package struct Slot: Sendable, Hashable, Codable {
        package var unit: UInt64
        package var tally: EvidenceTally
        /// The place of the operation, or that of all together.
        package var operation: UInt8

        package init(unit: UInt64, tally: EvidenceTally, operation: UInt8) {
            (self.unit, self.tally, self.operation) = (unit, tally, operation)
        }

        /// The unit is a hash already, so the rest need only be added.
        package func hash(into hasher: inout Hasher) {
            hasher.combine(unit &+ UInt64(operation) << 8 &+ UInt64(tally.rawValue))
        }
    }

    /// What is known of a row.
    package struct State: Sendable, Hashable, Codable {
        package var marks: Marks
        /// When the window began, in milliseconds; of a visit, when its hour began, since 1970.
        package var began: Int64
        /// Whether the window has ended.
        package var isSettled: Bool

        package init(marks: Marks, began: Int64, isSettled: Bool) {
            (self.marks, self.began, self.isSettled) = (marks, began, isSettled)
        }

        /// The hour of a visit, since 1970; nil for any other row.
        package func hour(in tally: EvidenceTally) -> Int64? { tally.isOfVisits ? VisitHour.hour(of: began) : nil }

        /// A settled row of which only that is known: nothing can change it.
        package static let settled = State(marks: .none, began: 0, isSettled: true)
    }

    package var slot: Slot
    package var state: State
    /// How long its first call took, if a device reports it at `legacyOnly`.
    package var nanoseconds: Int64?

    package init(slot: Slot, state: State, nanoseconds: Int64? = nil) {
        (self.slot, self.state, self.nanoseconds) = (slot, state, nanoseconds)
    }
}

// MARK: The law

extension EvidenceRow.State {
    /// A change of a row; without a state before, it was not known.
    package struct Change: Sendable, Hashable {
        var before: EvidenceRow.State?
        var after: EvidenceRow.State
    }

    /// Merges what two processes know of a row, or one process at two times.
    ///
    /// A settled row stands. Otherwise the marks are united, the earlier beginning stays, and the row is settled if
    /// either is. That is all there is to repeats, delays, other orders, restarts, several processes of one app, and
    /// devices that were offline.
    ///
    /// - Returns: what changes; nil if nothing does.
    static func merge(_ new: Self, into known: Self?, in tally: EvidenceTally) -> Change? {
        if tally.isOfVisits { return visit(new, after: known) }
        guard let known else { return Change(before: nil, after: new) }
        guard !known.isSettled else { return nil }
        let merged = Self(
            marks: known.marks.union(new.marks),
            began: min(known.began, new.began),
            isSettled: new.isSettled
        )
        return merged == known ? nil : Change(before: known, after: merged)
    }

    /// Merges a visit. One of a later hour replaces the one before, and remembers what that one met: a unit that goes on
    /// failing is one failure, and not one an hour. What an earlier visit met that was never merged counts in this one.
    private static func visit(_ new: Self, after known: Self?) -> Change? {
        let tooFar = new.began + VisitHour.patience * VisitHour.milliseconds
        // A visit far ahead was made by a wrong clock.
        guard let known, (new.began...tooFar).contains(known.began) else {
            var after = new
            after.marks = new.marks.asVisit(after: known?.marks ?? .none)
            if known != nil || new.marks.contains(.returned) { after.marks = after.marks.union(.returned) }
            return Change(before: known, after: after)
        }
        guard known.began == new.began else { return nil }
        var after = known
        after.marks = known.marks.union(new.marks.met)
        return after == known ? nil : Change(before: known, after: after)
    }
}

/// The numbers of units: the fold of their rows, kept by what each merge changes.
package struct UnitCounts: Sendable, Hashable {
    /// A tally of one operation, or of all together.
    package struct Cell: Sendable, Hashable {
        var tally: EvidenceTally
        var operation: UInt8
    }

    /// The units of a cell by their marks.
    package struct Counts: Sendable, Hashable {
        /// All units, with their marks so far.
        package var begun: [Marks: Int] = [:]
        /// The units with a settled row.
        var settled: [Marks: Int] = [:]
    }

    package init() {}

    /// Only cells with units.
    private(set) var cells: [Cell: Counts] = [:]
    /// The visits of the last hours, by the hour since 1970, with their marks.
    private(set) var visits: [Int64: [Cell: [Marks: Int]]] = [:]

    package subscript(tally: EvidenceTally, operation: UInt8) -> Counts? {
        cells[Cell(tally: tally, operation: operation)]
    }

    mutating func apply(_ change: EvidenceRow.State.Change, to slot: EvidenceRow.Slot) {
        let cell = Cell(tally: slot.tally, operation: slot.operation)
        guard !slot.tally.isOfVisits else { return apply(change, to: cell) }
        if change.before?.marks != change.after.marks || change.before == nil {
            if let before = change.before { cells[cell, default: Counts()].begun.add(-1, to: before.marks) }
            cells[cell, default: Counts()].begun.add(1, to: change.after.marks)
        }
        if change.after.isSettled { cells[cell, default: Counts()].settled.add(1, to: change.after.marks) }
    }

    /// A visit of a new hour leaves what was counted before as it is.
    private mutating func apply(_ visit: EvidenceRow.State.Change, to cell: Cell) {
        let hour = VisitHour.hour(of: visit.after.began)
        if let before = visit.before, before.began == visit.after.began {
            addVisits(-1, before.marks, to: cell, at: hour)
        } else if visits[hour] == nil, let newest = visits.keys.max(), hour > newest {
            visits = visits.filter { $0.key > hour - VisitHour.count }
        }
        addVisits(1, visit.after.marks, to: cell, at: hour)
    }

    /// Adds visits that were counted elsewhere.
    mutating func addVisits(_ by: Int, _ marks: Marks, to cell: Cell, at hour: Int64) {
        visits[hour, default: [:]][cell, default: [:]].add(by, to: marks)
        if visits[hour]?[cell]?.isEmpty ?? false { visits[hour]?[cell] = nil }
        if visits[hour]?.isEmpty ?? false { visits[hour] = nil }
    }

    /// Forgets the visits of later hours, which a wrong clock made.
    mutating func forgetVisits(after hour: Int64) {
        if visits.keys.contains(where: { $0 > hour }) { visits = visits.filter { $0.key <= hour } }
    }

    /// The hour since 1970 of the newest visit; nil if there is none.
    var newestVisit: Int64? { visits.keys.max() }

    /// Adds numbers that were counted elsewhere.
    mutating func add(_ by: Int, _ marks: Marks, _ which: WritableKeyPath<Counts, [Marks: Int]>, to cell: Cell) {
        cells[cell, default: Counts()][keyPath: which].add(by, to: marks)
        if cells[cell] == Counts() { cells[cell] = nil }
    }

    /// The number of units with an open window, for all operations together.
    package var open: Int {
        EvidenceTally.ofCalls.reduce(0) { sum, tally in
            guard let counts = self[tally, EvidenceNames.all] else { return sum }
            return sum + counts.begun.values.reduce(0, +) - counts.settled.values.reduce(0, +)
        }
    }

    /// The counts with the two sides exchanged.
    var withSidesExchanged: UnitCounts {
        var exchanged = UnitCounts()
        for (cell, counts) in cells {
            let tally: EvidenceTally =
                switch cell.tally {
                case .legacy: .candidate
                case .candidate: .legacy
                default: cell.tally
                }
            exchanged.cells[Cell(tally: tally, operation: cell.operation)] = counts
        }
        return exchanged
    }
}

extension Dictionary where Value == Int {
    fileprivate mutating func add(_ count: Int, to key: Key) {
        let sum = self[key, default: 0] &+ count
        self[key] = sum > 0 ? sum : nil
    }
}
