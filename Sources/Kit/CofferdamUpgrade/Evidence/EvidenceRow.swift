/// What is counted of units, each in a tally of its own.
enum EvidenceTally: UInt8, Sendable, Hashable, Codable, CaseIterable {
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

    /// The name in reports and in stored counts.
    var name: String {
        switch self {
        case .comparisons: "comparisons"
        case .legacy: "legacy"
        case .candidate: "candidate"
        case .named: "named"
        case .crossed: "crossed"
        }
    }

    init?(name: some StringProtocol) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The tallies of what a unit met.
    static let ofCalls: [EvidenceTally] = [.comparisons, .legacy, .candidate, .named]
}

/// What one unit met at one operation in its window, in one epoch and under one key.
struct EvidenceRow: Sendable, Hashable {
    /// Identifies a row of an epoch.
    struct Slot: Sendable, Hashable, Codable {
        var unit: UInt64
        var tally: EvidenceTally
        /// The place of the operation, or that of all together.
        var operation: UInt8
    }

    /// What is known of a row.
    struct State: Sendable, Hashable, Codable {
        var marks: Marks
        /// When the window began, in milliseconds.
        var began: Int64
        /// Whether the window has ended.
        var isSettled: Bool

        /// A settled row of which only that is known: nothing can change it.
        static let settled = State(marks: .none, began: 0, isSettled: true)
    }

    var slot: Slot
    var state: State
    /// How long its first call took, if a device reports it at `legacyOnly`.
    var nanoseconds: Int64?
}

// MARK: The law

extension EvidenceRow.State {
    /// A change of a row; without a state before, it was not known.
    struct Change: Sendable, Hashable {
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
    static func merge(_ new: Self, into known: Self?) -> Change? {
        guard let known else { return Change(before: nil, after: new) }
        guard !known.isSettled else { return nil }
        let merged = Self(
            marks: known.marks.union(new.marks),
            began: min(known.began, new.began),
            isSettled: new.isSettled
        )
        return merged == known ? nil : Change(before: known, after: merged)
    }
}

/// The numbers of units: the fold of their rows, kept by what each merge changes.
struct UnitCounts: Sendable, Hashable {
    /// A tally of one operation, or of all together.
    struct Cell: Sendable, Hashable {
        var tally: EvidenceTally
        var operation: UInt8
    }

    /// The units of a cell by their marks.
    struct Counts: Sendable, Hashable {
        /// All units, with their marks so far.
        var begun: [Marks: Int] = [:]
        /// The units with a settled row.
        var settled: [Marks: Int] = [:]
    }

    /// Only cells with units.
    private(set) var cells: [Cell: Counts] = [:]

    subscript(tally: EvidenceTally, operation: UInt8) -> Counts? { cells[Cell(tally: tally, operation: operation)] }

    mutating func apply(_ change: EvidenceRow.State.Change, to slot: EvidenceRow.Slot) {
        let cell = Cell(tally: slot.tally, operation: slot.operation)
        if change.before?.marks != change.after.marks || change.before == nil {
            if let before = change.before { cells[cell, default: Counts()].begun.add(-1, to: before.marks) }
            cells[cell, default: Counts()].begun.add(1, to: change.after.marks)
        }
        if change.after.isSettled { cells[cell, default: Counts()].settled.add(1, to: change.after.marks) }
    }

    /// Adds numbers that were counted elsewhere.
    mutating func add(_ by: Int, _ marks: Marks, _ which: WritableKeyPath<Counts, [Marks: Int]>, to cell: Cell) {
        cells[cell, default: Counts()][keyPath: which].add(by, to: marks)
        if cells[cell] == Counts() { cells[cell] = nil }
    }

    /// The number of units with an open window, for all operations together.
    var open: Int {
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
