/// What has been counted since it was saved last: which windows of which units have changed, and what they came to.
public struct EvidenceChanges: Sendable {
    var key: EpochKey
    var epoch: Int
    /// By the tallies' names.
    var windows: [String: [SavedWindow]]
    var openings: FailureCounts
    /// The legacy side's newest durations.
    var durations: [CallDurations.Change]
    /// How many calls were timed.
    var timed: Int
    var reads: Set<String>
    /// The name of what is counted, where nothing stands in the store yet.
    var series: String
    /// What stands in the store was counted for an upgrade that is no more.
    var replacesAll: Bool
    /// Units were counted that will not be saved, and the store does not know it yet.
    var tellsLoss: Bool
    /// What was counted when they were taken, for this process to go on from.
    var before: EvidenceCounts

    var isEmpty: Bool {
        durations.isEmpty && windows.values.allSatisfy(\.isEmpty) && openings.total == 0 && !tellsLoss
    }
}

/// A unit's window, as it is saved.
struct SavedWindow: Sendable, Hashable {
    var unit: UInt64
    /// Nil for all operations together.
    var operation: String?
    /// When it began, in milliseconds since 1970.
    var began: Int64
    /// As ``OutcomeTexts``.
    var outcome: String
    var isSettled: Bool
}

/// The windows of all tallies, as they are counted in memory.
struct EvidenceCounts: Sendable {
    var comparisons: [Int: WindowTally<ComparisonMarks>.Counts]
    var legacy: [Int: WindowTally<CallMarks>.Counts]
    var candidate: [Int: WindowTally<CallMarks>.Counts]
    var named: [Int: WindowTally<CallMarks>.Counts]
}

/// What was saved, for an ``EvidenceRecorder`` to go on from.
public struct SavedEvidence: Sendable {
    var record: EvidenceRecord
    /// For each unit the places of the operations whose windows have ended, as bits; by the tallies' names.
    var settled: [String: [(unit: UInt64, operations: UInt64)]]
    var open: [String: [(unit: UInt64, place: Int, began: Int64, outcome: String)]]
    var durations: [CallDurations.Change]
}

/// What stands in the store once changes were saved, with what other processes have counted.
public struct EvidenceTotals: Sendable {
    var record: EvidenceRecord
}

/// Keeps what was counted beyond the end of the process, for all processes that count one capability's units.
public protocol EvidenceStore: Sendable {
    /// Adds all of it to what stands there, in one transaction, or nothing. A unit counts once for an operation, whichever process
    /// has seen it, in each epoch and under each key: builds that run at the same time each have a count of their own.
    @discardableResult
    func save(_ changes: EvidenceChanges, of capability: String) async throws -> EvidenceTotals

    /// What was counted under that key, in its newest epoch; nil if nothing was.
    func saved(of capability: String, under key: EpochKey) async throws -> SavedEvidence?

    /// The newest epoch of which anything was counted, under whichever key; nil if nothing was.
    func newestEpoch(of capability: String) async throws -> Int?
}

/// The few numbers of an epoch.
struct EvidenceRecord: Sendable, Hashable, Codable {
    var key: EpochKey
    var epoch: Int
    /// The operations by their places in the units' bits.
    var operations: [String] = []
    /// The units by the tallies' names, the operations' names ("" for all together), and the outcomes' texts.
    var counts: [String: [String: Counts]] = [:]
    var openings = FailureCounts.none
    var timed = 0
    var reads: [String] = []
    /// Set where a process has counted units that are not in these numbers.
    var hasLost: Bool?
    /// Names this count: another one where what was kept is lost.
    var series: String

    struct Counts: Sendable, Hashable, Codable {
        var begun: [String: Int] = [:]
        var settled: [String: Int] = [:]
    }

    /// Of the epoch of those changes.
    init(of changes: EvidenceChanges) { (key, epoch, series) = (changes.key, changes.epoch, changes.series) }

    /// The place of an operation among the units' bits; nil where all are taken.
    mutating func place(of operation: String?) -> Int? {
        guard let operation else { return EpochEvidence.all }
        if let place = operations.firstIndex(of: operation) { return place }
        guard operations.count < EpochEvidence.all else { return nil }
        operations.append(operation)
        return operations.count - 1
    }

    mutating func count(
        _ by: Int,
        _ outcome: String,
        _ which: WritableKeyPath<Counts, [String: Int]>,
        _ tally: String,
        _ operation: String?
    ) {
        let now =
            counts[tally, default: [:]][operation ?? "", default: Counts()][keyPath: which][outcome, default: 0] &+ by
        counts[tally, default: [:]][operation ?? "", default: Counts()][keyPath: which][outcome] = now > 0 ? now : nil
    }
}

/// The rows of one epoch's units, in whatever keeps them.
protocol EvidenceRows {
    /// The places of the operations whose windows have ended, as bits.
    mutating func settled(_ unit: UInt64, in tally: String) throws -> UInt64
    mutating func setSettled(_ operations: UInt64, _ unit: UInt64, in tally: String) throws
    mutating func open(_ unit: UInt64, at place: Int, in tally: String) throws -> (began: Int64, outcome: String)?
    /// - Parameter window: nil to remove it.
    mutating func setOpen(
        _ window: (began: Int64, outcome: String)?,
        _ unit: UInt64,
        at place: Int,
        in tally: String
    ) throws
}

extension EvidenceRecord {
    /// Adds what one process has counted to the rows, and to these numbers: they are always what the rows give.
    mutating func add(_ changes: EvidenceChanges, to rows: inout some EvidenceRows) throws {
        for (tally, windows) in changes.windows {
            for window in windows { try add(window, in: tally, to: &rows) }
        }
        openings = openings + changes.openings
        timed = min(timed &+ changes.timed, 1 << 40)
        reads = Set(reads).union(changes.reads).sorted()
        if changes.tellsLoss { hasLost = true }
    }

    private mutating func add(_ window: SavedWindow, in tally: String, to rows: inout some EvidenceRows) throws {
        guard let place = place(of: window.operation) else { return }
        let settled = try rows.settled(window.unit, in: tally)
        // Another process has counted the unit already.
        guard settled & 1 << UInt64(place) == 0 else { return }
        var outcome = window.outcome
        let open = try rows.open(window.unit, at: place, in: tally)
        if let open {
            outcome = OutcomeTexts.merged(open.outcome, outcome)
            count(-1, open.outcome, \.begun, tally, window.operation)
        }
        count(1, outcome, \.begun, tally, window.operation)
        if window.isSettled {
            count(1, outcome, \.settled, tally, window.operation)
            if open != nil { try rows.setOpen(nil, window.unit, at: place, in: tally) }
            try rows.setSettled(settled | 1 << UInt64(place), window.unit, in: tally)
        } else {
            let began = open.map { min($0.began, window.began) } ?? window.began
            try rows.setOpen((began, outcome), window.unit, at: place, in: tally)
        }
    }
}
